import { button, h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import type { PlanFacts, Row, Rows } from './traits';

export type Kind = keyof Rows;

export const KINDS: [kind: Kind, name: string, none: string][] = [
  ['uncovered', 'Uncovered', 'Every row meets a key.'],
  ['ambiguous', 'Ambiguous', 'No row meets more than one row.'],
  ['covered', 'Covered', 'No row meets a single key.']
];

/** Which rows are shown, which one the keyboard is at, and which one is being corrected. */
export interface Shown {
  tab: Kind;
  active: number;
  editing: number | null;
}

/** What a row's buttons do. */
export interface RowActs {
  edit: (place: number) => void;
  learn: (row: Row) => void;
  correct: (row: Row, key: string) => void;
  wrong: (row: Row) => void;
  activate: (place: number) => void;
}

const muted = (text: string): HTMLElement => h('span', { class: 'lv-muted' }, text);

/** Pieces of a text, each with the look of the step that took or made it. */
export function drawPieces(pieces: Row['before']): HTMLElement {
  const look = (step: number): string => String(((step - 1) % 3) + 1);
  const marked = pieces.map(([text, step]) =>
    step ? h('mark', { class: 'lv-Op', 'data-op': look(step), 'data-step': step }, text) : text
  );
  return h('code', {}, ...marked);
}

/** The rows of one kind, as the panel of its tab. `id` is that of the widget. */
export function drawRows(facts: PlanFacts, shown: Shown, id: string, does: RowActs): HTMLElement {
  const { derived, keyed, counts } = facts;
  const { tab } = shown;
  const rows = facts.rows[tab];
  const left = counts[tab] - rows.length;
  const key = tab === 'uncovered' ? `Key of ${keyed}` : `Meets in ${keyed}`;
  const heads = [`Before: ${derived}`, 'After the program', key, 'Correct'].map(head =>
    h('th', { role: 'columnheader', scope: 'col', title: head }, head)
  );
  const table = h(
    'table',
    { class: 'lv-Pairs', role: 'grid', 'aria-label': `${tab} rows` },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...heads)),
    h('tbody', { role: 'rowgroup' }, ...rows.map((row, i) => drawRow(row, i, shown, does)))
  );
  const none = KINDS.find(([kind]) => kind === tab)?.[2];
  return h(
    'div',
    { role: 'tabpanel', id: `${id}-rows`, 'aria-labelledby': `${id}-${tab}` },
    rows.length ? table : h('p', { class: 'lv-None' }, none),
    left > 0 ? h('p', { class: 'lv-None' }, `${count(left)} more`) : null
  );
}

function drawRow(row: Row, i: number, { tab, active, editing }: Shown, does: RowActs): HTMLElement {
  const isEdited = editing === i;
  const value = row.nearest?.[0] ?? row.made;
  const label = 'The key that this row should join';
  const made = isEdited
    ? h('input', { class: 'lv-Input lv-Edit', value, 'aria-label': label })
    : row.after.length
      ? drawPieces(row.after)
      : muted('makes nothing');
  const hint = [
    h('kbd', {}, 'Enter'),
    ' learn again with this example ',
    h('kbd', {}, 'Esc'),
    ' keep it as it was'
  ];
  const cells = [[drawPieces(row.before)], [made], isEdited ? hint : drawMeets(row, tab)];
  return h(
    'tr',
    {
      role: 'row',
      class: `lv-Pair${isEdited ? ' lv-mod-edit' : ''}`,
      tabindex: i === active ? 0 : -1,
      'data-i': i,
      ondblclick: () => does.edit(i),
      onfocusin: () => does.activate(i)
    },
    ...cells.map(inside => h('td', { role: 'gridcell' }, ...inside)),
    h('td', { role: 'gridcell' }, drawActions(row, i, tab, isEdited, does))
  );
}

function drawActions(
  row: Row,
  i: number,
  tab: Kind,
  isEdited: boolean,
  does: RowActs
): HTMLElement {
  const actions = h('div', { class: 'lv-Actions' });
  if (isEdited) {
    actions.append(button('check', 'Learn again', () => does.learn(row), {}, 'accept'));
    return actions;
  }
  const { nearest } = row;
  if (nearest) {
    const use = (): void => does.correct(row, nearest[0]);
    actions.append(button(null, 'Use nearest', use, { tabindex: -1 }));
  } else if (tab !== 'uncovered') {
    actions.append(button(null, 'Edit', () => does.edit(i), { tabindex: -1 }));
  }
  if (tab !== 'uncovered') {
    const look = {
      tabindex: -1,
      'aria-label': 'This pair is wrong: leave unmatched',
      title: 'Leave unmatched'
    };
    actions.append(button('x', null, () => does.wrong(row), look, 'icon'));
  }
  return actions;
}

/** The keys that a row meets, or the one most like what it makes. */
function drawMeets({ nearest, meets = 0, keys = [] }: Row, tab: Kind): (Node | string)[] {
  if (tab === 'uncovered') {
    const none = h('span', { class: 'lv-bad' }, icon('x', 'no such key'));
    if (!nearest) {
      return [none, muted(' nothing like it')];
    }
    const [key, alike] = nearest;
    return [none, muted(' nearest '), h('code', {}, key), muted(` ${alike.toFixed(2)}`)];
  }
  const more = meets - keys.length;
  const mark = meets > 1 ? icon('warn', `meets ${meets} rows`) : icon('check', 'meets');
  return [
    h('span', { class: meets > 1 ? 'lv-warn' : 'lv-ok' }, mark),
    ' ',
    ...keys.flatMap((key, n) => [n ? h('br', { class: 'lv-Break' }) : '', h('code', {}, key)]),
    more > 0 ? muted(` and ${more} more`) : ''
  ];
}
