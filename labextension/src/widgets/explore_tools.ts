import { button, h } from '../parts/dom';
import { KINDS } from './explore_hit';
import type { ExploreAct, ExploreTraits, Hit } from './traits';
import type { Model } from './widget';

/** A list for each column that is joined on, and one to join on another together with them. */
export function drawChoosers(place: HTMLElement, model: Model<ExploreTraits, ExploreAct>): void {
  const chosen = model.get('chosen');
  const columns = model.get('columns');
  const frame = model.get('frame');
  const lists = (): HTMLSelectElement[] => [...place.querySelectorAll('select')];
  const focused = lists().findIndex(list => list === document.activeElement);
  const choose = (at: number, value: string): void => {
    const next = [...chosen];
    next.splice(at, 1, ...(value === '' ? [] : [Number(value)]));
    model.set('chosen', next);
    model.save_changes();
  };
  const list = (at: number, label: string): HTMLElement => {
    const free = [...columns.keys()].filter(i => i === chosen[at] || !chosen.includes(i));
    const onchange = (): void => choose(at, select.value);
    const select = h(
      'select',
      { class: 'lv-Input', 'aria-label': label, onchange },
      at ? h('option', { value: '' }, '—') : null,
      ...free.map(i => h('option', { value: i }, columns[i]))
    );
    select.value = String(chosen[at] ?? '');
    return h('label', {}, at ? 'and ' : `${frame} · `, select);
  };
  place.replaceChildren(
    ...chosen.map((_, at) => list(at, at ? 'Together with' : `Column of ${frame}`)),
    ...(chosen.length < columns.length ? [list(chosen.length, 'Join on another column too')] : [])
  );
  lists()[focused]?.focus();
}

type Kind = Hit['kind'];

/** One button a kind, where there are several; `shown` is the one that is shown, null for all. */
export function drawKinds(
  place: HTMLElement,
  hits: Hit[],
  shown: Kind | null,
  show: (kind: Kind | null) => void
): void {
  const counts = new Map<Kind, number>();
  for (const { kind } of hits) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const one = (kind: Kind | null, text: string): HTMLElement => {
    const name = kind ?? 'all';
    const choose = (): void => {
      show(kind);
      place.querySelector<HTMLElement>(`[data-kind="${name}"]`)?.focus();
    };
    const look = { 'aria-pressed': String(shown === kind), 'data-kind': name };
    return button(null, text, choose, look);
  };
  const kinds = (Object.keys(KINDS) as Kind[]).filter(kind => counts.has(kind));
  place.hidden = counts.size < 2;
  place.replaceChildren(
    one(null, `All ${hits.length}`),
    ...kinds.map(kind => one(kind, `${KINDS[kind]} ${kind} ${counts.get(kind)}`))
  );
}

/** Draw anew, and scroll so that the row that `find` finds before and after stays where it is on the screen. */
export function keepStill(
  body: HTMLElement,
  find: () => HTMLElement | undefined,
  draw: () => void
): void {
  const before = find()?.getBoundingClientRect().top;
  draw();
  const after = find()?.getBoundingClientRect().top;
  const moved = before === undefined || after === undefined ? 0 : after - before;
  if (!moved) {
    return;
  }
  const scrolls = (element: HTMLElement): boolean =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) &&
    element.scrollHeight > element.clientHeight;
  let scroller: HTMLElement | null = body;
  while (scroller && !scrolls(scroller)) {
    scroller = scroller.parentElement;
  }
  if (scroller) {
    scroller.scrollTop += moved;
  }
}
