import type { HitRow } from './traits';
import { button, h, icon } from '../parts/dom';
import { count } from '../parts/numbers';

/** What can be sorted by. */
export type SortKey = 'table' | 'rank' | 'share' | 'rows_out' | 'adds';

/** A column of the grid. */
export interface Column {
  /** The class of its cells. */
  name: string;
  head: string;
  /** What its head says when pointed at; of pictures there is none. */
  sentence?: string;
  key?: SortKey;
  /** The way it is sorted at first. */
  turn?: 1 | -1;
}

export const COLUMNS: Column[] = [
  { name: 'lv-x', head: 'Open' },
  { name: 'lv-kind', head: 'Kind' },
  {
    name: 'lv-name',
    head: 'Column in the lake',
    sentence: 'Table and column. Below: folder, rows, and others of the same family.',
    key: 'table',
    turn: 1
  },
  {
    name: 'lv-why',
    head: 'How sure, and why',
    sentence:
      'Sure: these are the same things. Possible: some signs speak for it. ' +
      'Chance: short codes and whole numbers meet anywhere.',
    key: 'rank',
    turn: 1
  },
  {
    name: 'lv-match',
    head: 'Your rows matched',
    sentence:
      'How many of your rows find a partner. Values, containment and Jaccard are in the open row.',
    key: 'share',
    turn: -1
  },
  {
    name: 'lv-rows lv-num',
    head: 'Rows after',
    sentence: 'Rows of a left join with all matches kept.',
    key: 'rows_out',
    turn: 1
  },
  {
    name: 'lv-adds',
    head: 'Adds',
    sentence: 'Columns that this table would bring.',
    key: 'adds',
    turn: -1
  }
];

/** Sign, word, what it means. */
export const KINDS: Record<HitRow['kind'], [string, string, string]> = {
  equi: ['=', 'equal', 'the same values'],
  bridge: ['→', 'bridge', 'through another table'],
  composite: ['&', 'together', 'several columns together'],
  transform: ['ƒ', 'step', 'after a step that changes the text'],
  fuzzy: ['≈', 'similar', 'similar text']
};

/** The picture of each word. */
export const CONFIDENCE: Record<HitRow['confidence'], string> = {
  sure: 'full',
  possible: 'half',
  chance: 'ring'
};

const span = (name: string, ...inside: (Node | string | null)[]): HTMLElement =>
  h('span', { class: name }, ...inside);

/** What stands in a row before any hit is known: to copy it is far quicker than to make its thirty elements. */
function makeTemplate(role: 'cell' | 'gridcell'): HTMLElement {
  const look = { tabindex: -1, 'aria-expanded': 'false', 'data-do': 'open' };
  const inside: Record<string, () => HTMLElement[]> = {
    'lv-x': () => (role === 'cell' ? [] : [button('right', null, null, look, 'plain', 'icon')]),
    'lv-kind': () => [span('lv-Kind', h('b', { 'aria-hidden': 'true' }), span('lv-sr'))],
    // Apart, so that a name that is read from the right does not move what is around it.
    'lv-name': () => [h('code', {}, h('bdi'), span('lv-muted'), '.', h('bdi')), span('lv-sub')],
    'lv-why': () => [
      span('lv-Line', h('b', { class: 'lv-Conf' }), ' ', h('span')),
      span('lv-sub lv-Ev', drawSaid('+'), ' ', drawSaid('−'))
    ],
    'lv-match': () => [
      h('span', { class: 'lv-Match', role: 'img' }, span('lv-Track'), h('b'), span('lv-sub'))
    ],
    'lv-rows lv-num': () => [h('span'), span('lv-sub')],
    'lv-adds': () => [h('span'), span('lv-sub')]
  };
  const cells = COLUMNS.map(({ name }) =>
    name === 'lv-name'
      ? h('th', { class: name, role: 'rowheader', scope: 'row' }, ...inside[name]())
      : h('td', { class: name, role }, ...(inside[name]?.() ?? []))
  );
  return h('tr', { role: 'row', class: 'lv-HitRow' }, ...cells);
}

const TEMPLATES = { cell: makeTemplate('cell'), gridcell: makeTemplate('gridcell') };

/** The elements inside another, each of which is there. */
const inside = (element: Element): HTMLElement[] => [...element.children] as HTMLElement[];

/** The row of a hit: cells to look at, or of a grid, which begin with a button that opens. */
export function makeRow(hit: HitRow, role: 'cell' | 'gridcell'): HTMLElement {
  const row = TEMPLATES[role].cloneNode(true) as HTMLElement;
  const [open, kind, name, why, match, rows, adds] = inside(row);
  open.firstElementChild?.setAttribute('aria-label', `Details of ${hit.full}`);
  fillKind(kind, hit);
  const [code, note] = inside(name);
  code.title = hit.full;
  const [stem, extension, column] = inside(code);
  stem.textContent = hit.stem;
  extension.textContent = hit.extension;
  column.textContent = hit.column;
  note.textContent = hit.note;
  const [line, evidence] = inside(why);
  const [word, text] = inside(line);
  word.classList.add(`lv-is-${hit.confidence}`);
  word.append(icon(CONFIDENCE[hit.confidence]), ` ${hit.confidence}`);
  text.textContent = text.title = hit.line;
  const { pro, con } = hit;
  inside(evidence).forEach((said, i) => {
    const [phrase] = i ? con : pro;
    if (phrase) {
      said.append(phrase);
    } else {
      said.remove();
    }
  });
  evidence.title = [...pro.map(said => `+ ${said}`), ...con.map(said => `− ${said}`)].join('\n');
  fillMatch(inside(match)[0], hit);
  const [out, effect] = inside(rows);
  out.append(
    ...(hit.warn
      ? [icon('warn', 'warning: fan-out'), ' ', h('b', {}, hit.rows_text)]
      : [hit.rows_text])
  );
  effect.textContent = hit.effect;
  for (const each of hit.warn ? [out, effect] : []) {
    each.classList.add('lv-warn');
  }
  const [brings, names] = inside(adds);
  brings.textContent = hit.adds_text;
  names.textContent = names.title = hit.adds_names;
  return row;
}

/** The sign of a kind, or a tick where the hit is marked. */
export function fillKind(cell: HTMLElement, hit: HitRow, marked = false): void {
  const [sign, word, meaning] = KINDS[hit.kind];
  const [badge] = inside(cell);
  badge.className = `lv-Kind lv-is-${hit.below ? 'none' : hit.kind}${marked ? ' lv-marked' : ''}`;
  badge.title = `${word}: ${meaning}`;
  const [shown, said] = inside(badge);
  shown.textContent = marked ? '✓' : sign;
  said.textContent = marked ? `${word}, marked` : word;
}

/** A sign for or against; its phrase follows. */
function drawSaid(sign: '+' | '−'): HTMLElement {
  return span(sign === '+' ? 'lv-pro' : 'lv-con', h('b', {}, sign), ' ');
}

/** Solid to the low end, hatched to the high end, a whisker over the interval; exact: solid. */
function fillMatch(match: HTMLElement, hit: HitRow): void {
  const bar = (name: string, from: number, to: number): HTMLElement =>
    h('span', {
      class: name,
      style: `left:${100 * from}%;width:${100 * Math.max(to - from, 0)}%`
    });
  const [track, share, without] = inside(match);
  match.title = hit.spoken;
  match.setAttribute('aria-label', hit.spoken);
  track.append(
    ...(hit.exact
      ? [bar('lv-fill', 0, hit.share)]
      : [
          bar('lv-fill', 0, hit.low),
          bar('lv-doubt', hit.low, hit.high),
          bar('lv-whisker', hit.low, hit.high)
        ])
  );
  share.textContent = hit.percent;
  without.textContent = hit.without;
}

/** `+2 alike` behind the note of a row. */
export function alike(hit: HitRow): string {
  return hit.alike ? `+${count(hit.alike)} alike` : '';
}
