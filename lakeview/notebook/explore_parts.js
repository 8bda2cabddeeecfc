// What the widget of lv.explore is made of, before any hit is known. Every text goes in as text.

const COLUMNS = [
  ['rank', '#', 'lv-rank', 1],
  ['kind', 'Kind', 'lv-kind', 1],
  ['table', 'Table.column', 'lv-name', 1],
  ['containment', 'Containment', 'lv-cont', -1],
  ['overlap', 'Overlap', 'lv-over lv-num', -1],
  ['jaccard', 'Jaccard', 'lv-jacc lv-num', -1],
  ['rows_out', 'Rows after left join', 'lv-rows lv-num', 1],
  ['key', 'Key', 'lv-key', -1],
  ['reason', 'Why it ranks here', 'lv-why', 1]
];
const KINDS = { equi: '=', composite: '&', transform: 'ƒ', fuzzy: '≈' };
const KEYS = [
  ['↑ ↓', 'hit'], ['→ ←', 'open, close'], ['Enter', 'into the details'], ['P', 'preview'], ['J', 'join'],
  ['C', 'copy code'], ['Space', 'mark'], ['/', 'filter'], ['Esc', 'back']
];

/** An element; `attributes` with null are left out, children that are null too. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  // Lab's shortcuts are matched with the focused element before any around it.
  if (element.matches('button, input, select, [tabindex]')) element.setAttribute('data-lm-suppress-shortcuts', 'true');
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const icon = (name, label) =>
  h('span', { class: `lv-Icon lv-i-${name}`, ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) });

const button = (name, text, onclick, more = {}) =>
  h('button', { type: 'button', class: 'lv-Button', onclick, ...more }, icon(name), text);

/** A hit without its hit: to copy one is far quicker than to make its thirty elements. */
const HIT = h('tbody', { role: 'rowgroup', class: 'lv-Hit' }, h('tr', { role: 'row', class: 'lv-HitRow', tabindex: -1, 'aria-selected': 'false' },
  ...COLUMNS.map(([key, , name]) => h(key === 'table' ? 'th' : 'td', { class: name, ...(key === 'table' ? { role: 'rowheader', scope: 'row' } : { role: 'gridcell' }) }, ...({
    rank: () => [h('button', { type: 'button', class: 'lv-Button lv-mod-plain lv-mod-icon', tabindex: -1, 'aria-expanded': 'false' }, icon('right'))],
    kind: () => [h('span', { class: 'lv-Badge' }, h('b', { 'aria-hidden': 'true' }), ' ', h('span', { class: 'lv-Badge-t' }))],
    table: () => [h('code'), h('span', { class: 'lv-sub' })],
    containment: () => [h('span', { class: 'lv-Meter', role: 'img' }, h('span', { class: 'lv-Track' }), h('b'), h('span', { class: 'lv-sub' }))],
    rows_out: () => [h('span'), h('span', { class: 'lv-sub' })]
  }[key]?.() ?? [])))));

/** What the notebook's file keeps of a widget is not seen while the widget lives. */
const hideLasting = model => h('style', {}, `.${model.get('look')}, .jp-OutputArea-child:has(.${model.get('look')}) { display: none !important; }`);

const idOf = row => row.parentElement.dataset.id;

/** The rows of one hit, closed. */
function makeHit(hit) {
  const group = HIT.cloneNode(true);
  const row = group.firstChild;
  const [rank, kind, name, meter, overlap, jaccard, rows, key, why] = row.children;
  const full = `${hit.table}.${hit.column}`;
  group.dataset.id = hit.id;
  group.classList.toggle('lv-accident', hit.accidental);
  rank.append(hit.accidental ? '–' : String(hit.rank + 1));
  rank.firstChild.setAttribute('aria-label', `Details of ${full}`);
  const [badge] = kind.children;
  badge.classList.add(`lv-is-${hit.accidental ? 'none' : hit.kind}`);
  badge.firstChild.textContent = KINDS[hit.kind];
  badge.lastChild.textContent = hit.kind;
  name.firstChild.textContent = full;
  name.lastChild.textContent = hit.note;
  fillMeter(meter.firstChild, hit);
  overlap.textContent = hit.overlap_text;
  jaccard.textContent = hit.jaccard_text;
  rows.firstChild.append(...(hit.warn ? [icon('warn', 'warning: fan-out'), ' ', h('b', {}, hit.rows_text)] : [hit.rows_text]));
  rows.lastChild.textContent = hit.effect;
  if (hit.warn) for (const part of rows.children) part.classList.add('lv-warn');
  key.append(hit.role === 'key' ? icon('key', 'key') : hit.role || h('span', { title: 'not a key' }, '–'));
  why.textContent = hit.reason;
  return group;
}

/** Solid to the low end, hatched to the high end, a whisker over the interval; exact: solid. */
function fillMeter(meter, hit) {
  const bar = (name, from, to) => h('span', { class: name, style: `left:${100 * from}%;width:${100 * Math.max(to - from, 0)}%` });
  const [track, share, interval] = meter.children;
  meter.title = hit.spoken;
  meter.setAttribute('aria-label', hit.spoken);
  track.append(...(hit.exact ? [bar('lv-fill', 0, hit.containment)] : [bar('lv-fill', 0, hit.low), bar('lv-doubt', hit.low, hit.high), bar('lv-whisker', hit.low, hit.high)]));
  share.textContent = hit.share;
  interval.textContent = hit.interval;
}

function drawPreview({ columns, numbers, rows, note }) {
  const look = i => ({ class: numbers[i] ? 'lv-num' : null });
  return h('div', { class: 'lv-Preview', tabindex: 0, role: 'region', 'aria-label': 'Preview of the join' },
    note ? h('p', { class: 'lv-More' }, note) : null,
    h('table', { class: 'lv-Frame' },
      h('thead', {}, h('tr', {}, ...columns.map((name, i) => h('th', { scope: 'col', ...look(i) }, name)))),
      h('tbody', {}, ...rows.map(row => h('tr', {}, ...row.map((value, i) => h('td', look(i), value)))))));
}
