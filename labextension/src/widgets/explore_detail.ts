import { h } from '../parts/dom';
import { COLUMNS } from './hit_row';
import { drawDoes } from './explore_does';
import { drawGets, drawPicture } from './explore_gets';
import { middleOf, pictured, type HitActs, type Opened } from './explore_open';
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
    drawMiddle(details, open, does),
    drawDoes(hit, details, open, does)
  );
  cell.append(drawEvidence(details), parts);
  return row;
}

/** Joined rows, those without a match, or what a column tells of the target. */
function drawMiddle(details: Details, open: Opened, does: HitActs): HTMLElement {
  const middle = middleOf(open);
  if (middle === 'picture') {
    return drawPicture(pictured(open)!, does);
  }
  return middle === 'without' ? drawWithout(details, does) : drawRows(open, does);
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
