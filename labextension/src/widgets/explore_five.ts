import { button, h, type Attributes } from '../parts/dom';
import { plural } from '../parts/numbers';
import { droppedOf, telling, type HitActs, type Opened } from './explore_open';
import { drawTitle } from './explore_parts';
import type { Joined } from './traits';

const ROOM = 56; // letters that the columns have together
const [LEAST, MOST] = [6, 18]; // of a column; "theirs" stands over a short key
const PADDING = 2;

/** Five joined rows: my key beside its key, what is new tinted, and a row without a match. */
export function drawRows(open: Opened, { preview, change }: HitActs): HTMLElement {
  const { joined, details, isWide } = open;
  const dropped = droppedOf(open);
  if (!joined) {
    const show = button('eye', 'Preview', preview);
    const waiting = details?.cheap ? h('p', { class: 'lv-muted' }, 'reading rows …') : null;
    return h('section', {}, drawTitle('Joined rows'), waiting ?? show);
  }
  const { mine, theirs, numbers, rows } = joined;
  const fixed = mine.length + theirs.length;
  const widths = widthsOf(joined);
  const kept = joined.new
    .map((name, i) => [name, i] as const)
    .filter(([name]) => !dropped.has(name));
  const fits = fitting(
    widths.slice(0, fixed),
    kept.map(([, i]) => widths[fixed + i])
  );
  const shown = isWide ? kept : kept.slice(0, fits);
  const head = (name: string, look: Attributes = {}): HTMLElement =>
    h('th', { scope: 'col', title: name, ...look }, name);
  const look = (i: number): Attributes => ({ class: `lv-new${numbers[i] ? ' lv-num' : ''}` });
  const group = (name: string, count: number, more: Attributes = {}): HTMLElement | null =>
    count ? h('th', { colspan: count, scope: 'colgroup', ...more }, name) : null;
  const over = h(
    'tr',
    { class: 'lv-muted' },
    group('yours', mine.length),
    group('theirs', theirs.length),
    group('new', shown.length, { class: 'lv-new' })
  );
  const heads = [
    ...[...mine, ...theirs].map(name => head(name)),
    ...shown.map(([name, i]) => head(name, look(i)))
  ];
  const lines = rows.map(row =>
    h(
      'tr',
      {},
      ...row.slice(0, fixed).map(value => h('td', { title: value }, h('code', {}, value))),
      ...shown.map(([, i]) => h('td', { title: row[fixed + i], ...look(i) }, row[fixed + i]))
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
        shown.length ? h('td', { colspan: shown.length, class: 'lv-new' }, 'no match') : null
      )
    );
  }
  const table = h(
    'table',
    { class: isWide ? 'lv-Five' : 'lv-Five lv-fits' },
    isWide
      ? null
      : drawWidths([...widths.slice(0, fixed), ...shown.map(([, i]) => widths[fixed + i])]),
    h('thead', {}, over, h('tr', {}, ...heads)),
    h('tbody', {}, ...lines)
  );
  const region = {
    class: 'lv-Preview',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Preview of the join'
  };
  const words = isWide ? 'fewer columns' : plural(kept.length - fits, 'more column');
  const flip = (): void => change({ isWide: !isWide });
  const more = { type: 'button', class: 'lv-Link', onclick: flip };
  const picture = { ...more, onclick: () => change({ part: 'picture' }) };
  const title = drawTitle(
    'Joined rows',
    `the first ${lines.length}`,
    kept.length > fits ? h('button', more, words) : null,
    telling(joined).length ? h('button', picture, 'picture') : null
  );
  return h('section', {}, title, h('div', region, table));
}

/** The letters of each column's longest text, within bounds. */
function widthsOf({ mine, theirs, new: added, rows }: Joined): number[] {
  return [...mine, ...theirs, ...added].map((name, i) => {
    const longest = Math.max(name.length, ...rows.map(row => row[i].length));
    return Math.min(Math.max(longest, LEAST), MOST) + PADDING;
  });
}

/** How many of the new columns stand beside the keys without scrolling: one at least. */
function fitting(keys: number[], added: number[]): number {
  let left = ROOM - keys.reduce((sum, each) => sum + each, 0);
  const end = added.findIndex(each => (left -= each) < 0);
  return end < 0 ? added.length : Math.max(end, 1);
}

/** Columns as wide as their texts are long, in shares of the table. */
function drawWidths(widths: number[]): HTMLElement {
  const all = widths.reduce((sum, each) => sum + each, 0);
  const cols = widths.map(each => h('col', { style: `inline-size:${(100 * each) / all}%` }));
  return h('colgroup', {}, ...cols);
}
