import { h, icon } from '../parts/dom';
import { COLUMNS, type SortKey } from './hit_row';

/** The heads of the grid; each that can be sorted by is a button. turn: 1 upward, -1 downward. */
export function drawHeads(
  sort: SortKey,
  turn: number,
  sortBy: (key: SortKey, first: number) => void
): HTMLElement {
  const sorted = turn > 0 ? 'ascending' : 'descending';
  const heads = COLUMNS.map(({ name, head, sentence, key, turn: first }) => {
    if (!key || !first) {
      const look = { scope: 'col', role: 'columnheader', class: name };
      return h('th', look, h('span', { class: 'lv-sr' }, head));
    }
    const isSorted = sort === key;
    const arrow = isSorted ? icon(turn > 0 ? 'up' : 'down') : null;
    const onclick = (): void => sortBy(key, first);
    const look = { type: 'button', 'data-sort': key, title: sentence, onclick };
    return h(
      'th',
      {
        scope: 'col',
        role: 'columnheader',
        class: name,
        'aria-sort': isSorted ? sorted : 'none'
      },
      h('button', look, head, arrow)
    );
  });
  return h('tr', { role: 'row' }, ...heads);
}

/** A line that hits below the ranking are, closed until somebody opens it. */
export function drawFold(
  at: number,
  title: string,
  note: string,
  isOpen: boolean,
  onclick: () => void
): HTMLElement {
  const look = {
    type: 'button',
    class: 'lv-Foldable',
    'aria-expanded': String(isOpen),
    'data-line': at,
    onclick
  };
  const fold = h('button', look, icon(isOpen ? 'down' : 'right'), title);
  const head = h('th', { colspan: COLUMNS.length, role: 'rowheader' }, fold, h('small', {}, note));
  return h('tbody', { role: 'rowgroup' }, h('tr', { role: 'row', class: 'lv-Group' }, head));
}
