import { h } from '../parts/dom';

/** The title of a part of an open hit. */
export function drawTitle(title: string, note = '', ...more: (Node | null)[]): HTMLElement {
  const small = note ? h('small', { class: 'lv-muted' }, note) : null;
  return h('p', { class: 'lv-H' }, h('b', {}, title), small, ...more.filter(each => each !== null));
}

/** Names and their numbers; names of columns and values in the code font. */
export function drawFacts(rows: string[][], names = false): HTMLElement {
  const lines = rows.map(([name, value]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, names ? h('code', {}, name) : name),
      h('td', { class: 'lv-num' }, value)
    )
  );
  return h('table', { class: 'lv-Mini' }, h('tbody', {}, ...lines));
}
