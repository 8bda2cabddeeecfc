import { button, h, type Attributes } from '../parts/dom';
import { plural } from '../parts/numbers';
import { COLUMNS } from './hit_row';
import { drawDoes } from './explore_does';
import type { HitActs, Opened } from './explore_open';
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

/** Five joined rows: my key beside its key, what is new tinted, and a row without a match. */
function drawRows({ joined, details, dropped }: Opened, does: HitActs): HTMLElement {
  if (!joined) {
    const show = button('eye', 'Preview', does.preview);
    const waiting = details?.cheap ? h('p', { class: 'lv-muted' }, 'reading rows …') : null;
    return h('section', {}, drawTitle('Joined rows'), waiting ?? show);
  }
  const { mine, theirs, numbers, rows } = joined;
  const fixed = mine.length + theirs.length;
  const kept = joined.new
    .map((name, i) => [name, i] as const)
    .filter(([name]) => !dropped.has(name));
  const head = (name: string, look: Attributes = {}): HTMLElement =>
    h('th', { scope: 'col', ...look }, name);
  const look = (i: number): Attributes => ({ class: `lv-new${numbers[i] ? ' lv-num' : ''}` });
  const over = h(
    'tr',
    { class: 'lv-muted' },
    head('yours', { colspan: mine.length, scope: 'colgroup' }),
    theirs.length ? head('theirs', { colspan: theirs.length, scope: 'colgroup' }) : null,
    kept.length ? head('new', { colspan: kept.length, scope: 'colgroup', class: 'lv-new' }) : null
  );
  const heads = [
    ...[...mine, ...theirs].map(name => head(name)),
    ...kept.map(([name, i]) => head(name, look(i)))
  ];
  const lines = rows.map(row =>
    h(
      'tr',
      {},
      ...row.slice(0, fixed).map(value => h('td', {}, h('code', {}, value))),
      ...kept.map(([, i]) => h('td', look(i), row[fixed + i]))
    )
  );
  const [alone] = details?.missing ?? [];
  if (alone) {
    lines.splice(4);
    lines.push(
      h(
        'tr',
        { class: 'lv-none' },
        h('td', {}, h('code', {}, alone[0])),
        ...Array.from({ length: fixed - 1 }, () => h('td', {}, '–')),
        kept.length ? h('td', { colspan: kept.length, class: 'lv-new' }, 'no match') : null
      )
    );
  }
  const table = h(
    'table',
    { class: 'lv-Five' },
    h('thead', {}, over, h('tr', {}, ...heads)),
    h('tbody', {}, ...lines)
  );
  const region = {
    class: 'lv-Preview',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Preview of the join'
  };
  const title = drawTitle('Joined rows', `the first ${lines.length}`);
  return h('section', {}, title, h('div', region, table));
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
