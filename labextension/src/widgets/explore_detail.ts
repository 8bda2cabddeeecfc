import { button, h, icon, type Attributes } from '../parts/dom';
import { count } from '../parts/numbers';
import { COLUMNS } from './hit_row';
import type { Details, HitRow, Joined, Keep } from './traits';

/** What an open hit shows: what is known of it, its first joined rows, and what somebody has chosen. */
export interface Opened {
  details: Details | null;
  joined: Joined | null;
  keep: Keep;
  /** What becomes of several rows that one meets; null until somebody has chosen. */
  many: string | null;
  dropped: Set<string>;
  /** The result's name where somebody has typed one. */
  name: string | null;
  /** Whether a name that exists was confirmed. */
  replaces: boolean;
  part: 'rows' | 'without';
}

/** A hit that was just opened. */
export const opened = (): Opened => ({
  details: null,
  joined: null,
  keep: 'left',
  many: null,
  dropped: new Set(),
  name: null,
  replaces: false,
  part: 'rows'
});

/** What the parts of an open hit do. */
export interface HitActs {
  change: (what: Partial<Opened>) => void;
  /** The same where nothing is to be drawn. */
  keep: (what: Partial<Opened>) => void;
  preview: () => void;
  join: () => void;
  copy: () => void;
}

const KEEPS: [Keep, string, string][] = [
  ['left', 'left', 'all your rows'],
  ['inner', 'inner', 'only rows that match'],
  ['right', 'right', 'all rows of the other table'],
  ['outer', 'full', 'all rows of both'],
  ['unmatched', 'only unmatched', 'your rows without a match']
];
const EACH: [string, string][] = [
  ['aggregate', 'summed up by type'],
  ['first', 'the first'],
  ['last', 'the last'],
  ['list', 'as lists']
];

/** Whether how to join is not decided: rows would multiply, and nobody has said that they may. */
export function waits({ details, keep, many }: Opened): boolean {
  return Boolean(details?.multiplies) && ['left', 'inner'].includes(keep) && many === null;
}

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

function drawTitle(title: string, note = '', ...more: (Node | null)[]): HTMLElement {
  const small = note ? h('small', { class: 'lv-muted' }, note) : null;
  return h('p', { class: 'lv-H' }, h('b', {}, title), small, ...more.filter(each => each !== null));
}

/** The columns that it would add, ticked or not. */
function drawGets(hit: HitRow, { joined, dropped }: Opened, { change }: HitActs): HTMLElement {
  if (!joined) {
    return h('section', {}, drawTitle('What you get', hit.adds_text), hit.adds_names);
  }
  const { gets } = joined;
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
      name === column
        ? [h('code', {}, name)]
        : [h('code', {}, `${column} → `, h('b', {}, name)), h('small', {}, ' the name is taken')];
    return h(
      'li',
      {},
      h('label', { title: name }, tick, ...clash),
      h('em', {}, type),
      h('small', { title: samples }, samples)
    );
  });
  return h(
    'section',
    {},
    drawTitle(
      'What you get',
      `${left} of ${gets.length} columns`,
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

/** The bar of matched rows, what is kept, one row each or all, the result's name, and the buttons. */
function drawDoes(hit: HitRow, details: Details, open: Opened, does: HitActs): HTMLElement {
  const { keep, name } = open;
  const rows = details.rows[keep] ?? -1;
  const each = open.many !== null && open.many !== 'all' && keep === 'left';
  const out = each ? details.matched + details.without : rows;
  const before = details.matched + details.without;
  const called = name ?? details.name;
  const isTaken = details.taken.includes(called);
  const keeps = KEEPS.filter(([value]) => value in details.rows).map(([value, word, meaning]) => {
    const choose = (): void => does.change({ keep: value, joined: null });
    const look = { role: 'radio', 'aria-checked': String(keep === value), title: meaning };
    return button(null, word, choose, look);
  });
  const input = h('input', {
    class: 'lv-Input',
    'aria-label': 'Name of the result',
    spellcheck: 'false',
    oninput: () => does.keep({ name: input.value.trim() || null, replaces: false }),
    onchange: () => does.change({}),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        event.stopPropagation();
        does.join();
      }
    }
  });
  input.value = called;
  const hint = isTaken
    ? open.replaces
      ? `${called} will be replaced: Join once more`
      : 'exists: it will be replaced'
    : '';
  const stays = waits(open);
  return h(
    'section',
    {},
    drawTitle('What it does'),
    details.matched < 0
      ? h('p', {}, 'Rows are not counted: a sketch or a part answered.')
      : drawSplit(details, open, does),
    h(
      'div',
      { class: 'lv-Do' },
      h('span', {}, 'Keep'),
      h('span', { class: 'lv-Kinds', role: 'radiogroup', 'aria-label': 'Keep' }, ...keeps),
      h('span', {}, 'Per row'),
      details.multiplies && ['left', 'inner'].includes(keep)
        ? drawGrain(details, open, does)
        : h('span', {}, details.key),
      h('span', {}, 'Rows'),
      h(
        'span',
        {},
        stays || out < 0
          ? 'as you choose'
          : h('span', {}, `${count(before)} → `, h('b', {}, count(out)))
      ),
      h('span', {}, 'Result'),
      input,
      hint ? h('small', { class: 'lv-hint lv-warn', role: 'status' }, hint) : null
    ),
    h(
      'div',
      { class: 'lv-Actions' },
      button(
        'join',
        'Join',
        does.join,
        { disabled: stays, title: stays ? 'Choose per row first' : null },
        'accept'
      ),
      button('copy', 'Copy code', does.copy, { disabled: stays }),
      hit.warn && open.many === 'all'
        ? h('span', { class: 'lv-warn' }, icon('warn', 'warning'), ` ${hit.effect}`)
        : null
    )
  );
}

/** Matched and unmatched rows: each part shows its rows. */
function drawSplit(
  { matched, without }: Details,
  { part }: Opened,
  { change }: HitActs
): HTMLElement {
  const share = (100 * matched) / Math.max(matched + without, 1);
  const show = (to: Opened['part'], look: string, words: string, width: number): [Node, Node] => {
    const onclick = (): void => change({ part: to });
    const bar = {
      type: 'button',
      class: look,
      style: `inline-size:${width}%`,
      'aria-label': `Show the ${words}`,
      onclick
    };
    const pressed = { 'aria-pressed': String(part === to) };
    const link = h('button', { type: 'button', class: 'lv-Link', onclick, ...pressed }, words);
    return [h('button', bar), h('span', {}, h('i', { class: look }), link)];
  };
  const [inBar, inText] = show('rows', 'lv-in', `${count(matched)} matched`, share);
  if (!without) {
    const split = h('div', { class: 'lv-Parted' }, inBar);
    return h('div', {}, split, h('div', { class: 'lv-Parts' }, inText));
  }
  const [outBar, outText] = show('without', 'lv-out', `${count(without)} without`, 100 - share);
  return h(
    'div',
    {},
    h('div', { class: 'lv-Parted' }, inBar, outBar),
    h('div', { class: 'lv-Parts' }, inText, outText)
  );
}

/** One row each, or all: nothing is chosen beforehand where rows would multiply. */
function drawGrain(details: Details, { many, keep }: Opened, { change }: HitActs): HTMLElement {
  const isEach = many !== null && many !== 'all';
  const before = keep === 'left' ? details.matched + details.without : details.matched;
  const choose = (value: string) => (): void => change({ many: value, joined: null });
  const radio = (value: string, isOn: boolean, label: string): HTMLInputElement => {
    const tick = h('input', { type: 'radio', 'aria-label': label, onchange: choose(value) });
    tick.checked = isOn;
    return tick;
  };
  const list = h(
    'select',
    { class: 'lv-Input', 'aria-label': 'One row each, by', onchange: () => choose(list.value)() },
    ...EACH.map(([value, word]) => h('option', { value }, word))
  );
  list.value = isEach ? many : 'aggregate';
  const all = details.rows[keep] ?? -1;
  return h(
    'span',
    { class: 'lv-Radio', role: 'radiogroup', 'aria-label': 'Per row' },
    h(
      'span',
      {},
      radio('aggregate', isEach, 'one row each'),
      'one each, by ',
      list,
      h('b', {}, `${count(before)} rows`)
    ),
    h(
      'span',
      {},
      radio('all', many === 'all', 'all rows'),
      'all ',
      h('b', { class: 'lv-warn' }, icon('warn'), all < 0 ? ' not counted' : ` ${count(all)} rows`)
    )
  );
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
