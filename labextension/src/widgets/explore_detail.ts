import { h } from '../parts/dom';
import { plural } from '../parts/numbers';
import { COLUMNS } from './hit_row';
import { drawDoes } from './explore_does';
import type { HitActs, Opened } from './explore_open';
import { drawRows } from './explore_five';
import { drawFacts, drawTitle } from './explore_parts';
import type { Details, HitRow } from './traits';

/** The row below a hit: what speaks for it, what it brings, rows, what it does, and the buttons for it. */
export function drawDetail(hit: HitRow, id: string, open: Opened, does: HitActs): HTMLElement {
  const cell = h('td', { colspan: COLUMNS.length, role: 'gridcell' });
  const row = h('tr', { role: 'row', class: 'lv-DetailRow', id }, cell);
  const { details } = open;
  if (!details) {
    cell.append(h('div', { class: 'lv-Detail' }, 'counting …'));
    return row;
  }
  const parts = h(
    'div',
    { class: 'lv-Detail' },
    drawGets(hit, open, does),
    open.part === 'without' ? drawWithout(details, does) : drawRows(open, does),
    drawDoes(hit, details, open, does)
  );
  cell.append(drawEvidence(details), parts);
  return row;
}

/** All that speaks for a hit and against it, and what was measured. */
function drawEvidence({ pro, con, measured }: Details): HTMLElement {
  const named = (said: string): (Node | string)[] =>
    said.split('`').map((part, i) => (i % 2 ? h('code', {}, part) : part));
  return h(
    'ul',
    { class: 'lv-Evidence', 'aria-label': 'Evidence' },
    ...pro.map(said => h('li', { class: 'lv-pro' }, h('b', {}, '+'), ' ', ...named(said))),
    ...con.map(said => h('li', { class: 'lv-con' }, h('b', {}, '−'), ' ', ...named(said))),
    h('li', { class: 'lv-muted' }, measured)
  );
}

/** The columns that it would add, ticked or not. */
function drawGets(hit: HitRow, { joined, dropped }: Opened, { change }: HitActs): HTMLElement {
  if (!joined) {
    return h('section', {}, drawTitle('What you get', hit.adds_text), hit.adds_names);
  }
  const { gets } = joined;
  if (!gets.length) {
    return h('section', {}, drawTitle('What you get', 'no new column'));
  }
  const all = new Set(gets.map(({ name }) => name));
  const left = gets.length - dropped.size;
  const flip = (): void => change({ dropped: dropped.size ? new Set() : all });
  const look = { type: 'button', class: 'lv-Link', onclick: flip };
  const items = gets.map(({ name, column, type, samples }) => {
    const tick = h('input', {
      type: 'checkbox',
      'aria-label': name,
      onchange: () => {
        const next = new Set(dropped);
        if (!next.delete(name)) {
          next.add(name);
        }
        change({ dropped: next });
      }
    });
    tick.checked = !dropped.has(name);
    const clash =
      name === column ? [h('code', {}, name)] : [h('code', {}, `${column} → `, h('b', {}, name))];
    return h(
      'li',
      {},
      h('label', { title: name === column ? name : `${name}: ${column} is taken` }, tick, ...clash),
      h('em', {}, type),
      h('small', { title: samples }, samples)
    );
  });
  return h(
    'section',
    {},
    drawTitle(
      'What you get',
      `${left} of ${plural(gets.length, 'column')}`,
      h('button', look, dropped.size ? 'all' : 'none')
    ),
    h('ul', { class: 'lv-Get' }, ...items)
  );
}

/** The values that meet nothing, with their rows. */
function drawWithout({ missing, missing_title }: Details, { change }: HitActs): HTMLElement {
  const look = { type: 'button', class: 'lv-Link', onclick: () => change({ part: 'rows' }) };
  return h(
    'section',
    {},
    drawTitle('Rows without a match', missing_title, h('button', look, 'back to the rows')),
    drawFacts(missing, true)
  );
}
