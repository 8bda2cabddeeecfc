import { h, type Attributes } from '../parts/dom';
import type { FirstRows } from './traits';

/** The first rows of a join. */
export function drawPreview({ columns, numbers, rows, note }: FirstRows): HTMLElement {
  const look = (i: number): Attributes => ({ class: numbers[i] ? 'lv-num' : null });
  const heads = columns.map((name, i) => h('th', { scope: 'col', ...look(i) }, name));
  const lines = rows.map(row => h('tr', {}, ...row.map((value, i) => h('td', look(i), value))));
  return h(
    'div',
    { class: 'lv-Preview', tabindex: 0, role: 'region', 'aria-label': 'Preview of the join' },
    note ? h('p', { class: 'lv-More' }, note) : null,
    h(
      'table',
      { class: 'lv-Frame' },
      h('thead', {}, h('tr', {}, ...heads)),
      h('tbody', {}, ...lines)
    )
  );
}
