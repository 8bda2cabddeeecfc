import { button, h, icon } from '../parts/dom';
import { buttonLook } from '../parts/looks';
import { CONFIDENCE } from './hit_row';
import type { Shown } from './overview_groups';
import type { ColumnLine, HitRow } from './traits';

type Confidence = HitRow['confidence'];

/** Above the lines: the filter, how many lines are how sure, those that are marked, and the order. */
export class OverviewTools {
  readonly shown: Shown = { filter: '', confidence: null };
  readonly filter = h('input', {
    type: 'search',
    class: 'lv-Input',
    placeholder: 'Filter',
    'aria-label': 'Filter columns',
    oninput: () => {
      this.shown.filter = this.filter.value.toLowerCase();
      this._changed();
    }
  });
  readonly targets = h('span', { class: 'lv-Targets' });
  private readonly _chips = h('span', {
    role: 'group',
    'aria-label': 'How sure',
    class: 'lv-Kinds'
  });
  private readonly _together = button(null, 'Search marked together', () => this._search());
  private readonly _group = button('up', 'Group by confidence', () => this._order());
  readonly node = h(
    'div',
    { class: 'lv-Tools' },
    this.filter,
    this._chips,
    this._group,
    h('span', { class: 'lv-Spring' }),
    this.targets,
    this._together
  );

  constructor(
    private readonly _changed: () => void,
    private readonly _search: () => void,
    private readonly _order: () => void
  ) {}

  /** marked: how many columns are; canGroup: whether the lines lie in the frame's order and could be grouped. */
  show(lines: ColumnLine[], marked: number, canGroup: boolean): void {
    const words = Object.keys(CONFIDENCE) as Confidence[];
    const counts = new Map(
      words.map(word => [word, lines.filter(({ hit }) => hit?.confidence === word).length])
    );
    if (this.shown.confidence && !counts.get(this.shown.confidence)) {
      this.shown.confidence = null;
    }
    const chips = words.filter(word => counts.get(word));
    this._chips.replaceChildren(
      this._chip(null, `All ${lines.length}`),
      ...chips.map(word => this._chip(word, icon(CONFIDENCE[word]), ` ${word} ${counts.get(word)}`))
    );
    this._group.hidden = !canGroup;
    this._together.disabled = marked < 2;
    this._together.textContent =
      marked > 1 ? `Search ${marked} together` : 'Search marked together';
  }

  private _chip(to: Confidence | null, ...inside: (Node | string)[]): HTMLElement {
    const onclick = (): void => {
      this.shown.confidence = to;
      this._changed();
      this._chips.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
    };
    const look = { 'aria-pressed': String(this.shown.confidence === to) };
    return h('button', { type: 'button', class: buttonLook(), onclick, ...look }, ...inside);
  }
}
