import { button, h, icon } from '../parts/dom';
import { COLUMNS } from './hit_row';
import type { Steps } from './traits';

/** The head of the block of what joins after a step: how far its search is, and a button that stops it or goes on. */
export class StepsHead {
  readonly element: HTMLElement;
  private readonly _mark = h('span', {});
  private readonly _note = h('small', {});
  private readonly _bar = h(
    'span',
    { class: 'lv-StepBar', role: 'progressbar', 'aria-label': 'Tables looked through' },
    h('i')
  );
  private readonly _stop: HTMLButtonElement;
  private readonly _further: HTMLButtonElement;
  private readonly _empty = h(
    'tr',
    { role: 'row', class: 'lv-Waiting' },
    h(
      'td',
      { colspan: COLUMNS.length, role: 'gridcell' },
      'None yet. What is above stays as it is.'
    )
  );

  /** `leave` takes the focus of a button that goes. */
  constructor(
    stop: () => void,
    further: () => void,
    private readonly _leave: () => void
  ) {
    this._stop = button('stop', 'Stop', stop, { title: 'Look no further for now' });
    this._further = button('search', 'Go on', further, { title: 'Look on from there' });
    const status = h('span', { role: 'status', class: 'lv-StepState' }, this._bar, this._note);
    const inside = [this._mark, h('b', {}, 'Needs a step'), status, this._stop, this._further];
    const head = h('th', { colspan: COLUMNS.length, role: 'rowheader' }, h('span', {}, ...inside));
    const row = h('tr', { role: 'row', class: 'lv-Group lv-Steps' }, head);
    this.element = h('tbody', { role: 'rowgroup' }, row, this._empty);
  }

  show({ state, said, tried, of }: Steps, found: number): void {
    const focused = document.activeElement;
    const looks = state === 'looking';
    this._mark.replaceChildren(icon(looks ? 'half' : state === 'stopped' ? 'stop' : 'check'));
    const sum = found ? 'your values meet these after it' : 'none found';
    this._note.textContent = state === 'done' ? `${sum} · ${said}` : said;
    this._bar.hidden = !looks;
    this._bar.setAttribute('aria-valuetext', said);
    this._bar.setAttribute('aria-valuenow', String(of ? Math.round((100 * tried) / of) : 0));
    this._bar.classList.toggle('lv-mod-unknown', !of);
    (this._bar.firstElementChild as HTMLElement).style.inlineSize =
      `${of ? (100 * tried) / of : 100}%`;
    this._stop.hidden = !looks;
    this._further.hidden = state !== 'stopped';
    this._empty.hidden = !looks || found > 0;
    if (focused instanceof HTMLButtonElement && focused.hidden && this.element.contains(focused)) {
      const other = [this._stop, this._further].find(each => !each.hidden);
      if (other) {
        other.focus();
      } else {
        this._leave();
      }
    }
  }
}
