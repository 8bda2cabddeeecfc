import { button, h, icon } from '../parts/dom';
import type { Hit } from './traits';

/** What can be sorted by. */
export type SortKey = Exclude<keyof Hit, 'id' | `${string}_text`>;

/** A column of the grid: what it is sorted by, its head, its class, and the way it is sorted at first. */
export const COLUMNS: [key: SortKey, text: string, name: string, turn: 1 | -1][] = [
  ['rank', '#', 'lv-rank', 1],
  ['kind', 'Kind', 'lv-kind', 1],
  ['table', 'Table.column', 'lv-name', 1],
  ['containment', 'Containment', 'lv-cont', -1],
  ['overlap', 'Overlap', 'lv-over lv-num', -1],
  ['jaccard', 'Jaccard', 'lv-jacc lv-num', -1],
  ['rows_out', 'Rows after left join', 'lv-rows lv-num', 1],
  ['key', 'Key', 'lv-key', -1],
  ['reason', 'Why it ranks here', 'lv-why', 1]
];

export const KINDS: Record<Hit['kind'], string> = {
  equi: '=',
  composite: '&',
  transform: 'ƒ',
  fuzzy: '≈'
};

/** What stands in a cell before any hit is known. */
const CELLS: Partial<Record<SortKey, () => HTMLElement[]>> = {
  rank: () => [
    button('right', null, null, { tabindex: -1, 'aria-expanded': 'false' }, 'plain', 'icon')
  ],
  kind: () => [
    h(
      'span',
      { class: 'lv-Badge' },
      h('b', { 'aria-hidden': 'true' }),
      ' ',
      h('span', { class: 'lv-Badge-t' })
    )
  ],
  table: () => [h('code'), h('span', { class: 'lv-sub' })],
  containment: () => [
    h(
      'span',
      { class: 'lv-Meter', role: 'img' },
      h('span', { class: 'lv-Track' }),
      h('b'),
      h('span', { class: 'lv-sub' })
    )
  ],
  rows_out: () => [h('span'), h('span', { class: 'lv-sub' })]
};

const makeCell = (key: SortKey, name: string): HTMLElement => {
  const inside = CELLS[key]?.() ?? [];
  return key === 'table'
    ? h('th', { class: name, role: 'rowheader', scope: 'row' }, ...inside)
    : h('td', { class: name, role: 'gridcell' }, ...inside);
};

/** A hit without its hit: to copy one is far quicker than to make its thirty elements. */
const HIT = h(
  'tbody',
  { role: 'rowgroup', class: 'lv-Hit' },
  h(
    'tr',
    { role: 'row', class: 'lv-HitRow', tabindex: -1, 'aria-selected': 'false' },
    ...COLUMNS.map(([key, , name]) => makeCell(key, name))
  )
);

/** The elements inside another, each of which is there. */
const inside = (element: Element): HTMLElement[] => [...element.children] as HTMLElement[];

/** The hit that a row is of. */
export const idOf = (row: Element): string => row.parentElement?.dataset.id ?? '';

/** The rows of one hit, closed. */
export function makeHit(hit: Hit): { group: HTMLElement; row: HTMLElement } {
  const group = HIT.cloneNode(true) as HTMLElement;
  const [row] = inside(group);
  const [rank, kind, name, meter, overlap, jaccard, rows, key, why] = inside(row);
  const full = `${hit.table}.${hit.column}`;
  group.dataset.id = hit.id;
  group.classList.toggle('lv-accident', hit.accidental);
  rank.append(hit.accidental ? '–' : String(hit.rank + 1));
  rank.children[0].setAttribute('aria-label', `Details of ${full}`);
  const [badge] = inside(kind);
  const [sign, word] = inside(badge);
  badge.classList.add(`lv-is-${hit.accidental ? 'none' : hit.kind}`);
  sign.textContent = KINDS[hit.kind];
  word.textContent = hit.kind;
  const [column, note] = inside(name);
  column.textContent = full;
  note.textContent = hit.note;
  fillMeter(inside(meter)[0], hit);
  overlap.textContent = hit.overlap_text;
  jaccard.textContent = hit.jaccard_text;
  const [out, effect] = inside(rows);
  out.append(
    ...(hit.warn
      ? [icon('warn', 'warning: fan-out'), ' ', h('b', {}, hit.rows_text)]
      : [hit.rows_text])
  );
  effect.textContent = hit.effect;
  if (hit.warn) {
    out.classList.add('lv-warn');
    effect.classList.add('lv-warn');
  }
  key.append(
    hit.role === 'key' ? icon('key', 'key') : hit.role || h('span', { title: 'not a key' }, '–')
  );
  why.textContent = hit.reason;
  return { group, row };
}

/** Solid to the low end, hatched to the high end, a whisker over the interval; exact: solid. */
function fillMeter(meter: HTMLElement, hit: Hit): void {
  const bar = (name: string, from: number, to: number): HTMLElement =>
    h('span', {
      class: name,
      style: `left:${100 * from}%;width:${100 * Math.max(to - from, 0)}%`
    });
  const [track, share, interval] = inside(meter);
  meter.title = hit.spoken;
  meter.setAttribute('aria-label', hit.spoken);
  track.append(
    ...(hit.exact
      ? [bar('lv-fill', 0, hit.containment)]
      : [
          bar('lv-fill', 0, hit.low),
          bar('lv-doubt', hit.low, hit.high),
          bar('lv-whisker', hit.low, hit.high)
        ])
  );
  share.textContent = hit.share;
  interval.textContent = hit.interval;
}
