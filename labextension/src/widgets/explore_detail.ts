import { button, h, icon } from '../parts/dom';
import { COLUMNS } from './hit_row';
import { drawPreview } from './preview';
import type { Answer, Details, FirstRows, HitRow, How } from './traits';

/** What an open hit shows: what is known of it, the kind of join, its first rows. */
export interface Opened {
  details: Details | null;
  how: How;
  preview: FirstRows | null;
}

/** What the buttons of an open hit do. */
export interface HitActs {
  choose: (how: How) => void;
  preview: () => void;
  join: () => void;
  copy: () => void;
}

/** The row below a hit: values that match and that don't, what the join does, and the buttons for it. */
export function drawDetail(
  hit: HitRow,
  id: string,
  { details, how, preview }: Opened,
  does: HitActs
): HTMLElement {
  const cell = h('td', { colspan: COLUMNS.length, role: 'gridcell' });
  const row = h('tr', { role: 'row', class: 'lv-DetailRow', id }, cell);
  if (!details) {
    cell.append(h('div', { class: 'lv-Detail' }, 'counting …'));
    return row;
  }
  const choose = (each: How): HTMLElement =>
    button(null, each, () => does.choose(each), { 'aria-pressed': String(how === each) });
  const warning = hit.warn
    ? h('p', { class: 'lv-warn' }, icon('warn', 'warning'), ` ${hit.effect}`)
    : null;
  cell.append(
    drawEvidence(details),
    h(
      'div',
      { class: 'lv-Detail' },
      h(
        'section',
        {},
        drawTitle('check', details.matching_title),
        drawFacts(details.matching, true)
      ),
      h(
        'section',
        {},
        drawTitle(details.missing.length ? 'x' : 'check', details.missing_title),
        drawFacts(details.missing, true)
      ),
      h(
        'section',
        {},
        drawTitle('join', 'What the join does'),
        drawFacts(details.joins[how]),
        warning,
        h(
          'div',
          { class: 'lv-Actions' },
          choose('left'),
          choose('inner'),
          button('eye', 'Preview', does.preview),
          button('join', 'Join', does.join, {}, 'accept'),
          button('copy', 'Copy code', does.copy)
        )
      ),
      preview ? drawPreview(preview) : null
    )
  );
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

function drawTitle(mark: string, title: string): HTMLElement {
  return h('p', { class: 'lv-H' }, icon(mark), h('b', {}, title));
}

/** Names and their numbers; names of columns and values in the code font. */
function drawFacts(rows: string[][], names = false): HTMLElement {
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

/** What the buttons of an empty answer do. */
export interface EmptyActs {
  transform: () => void;
  problems: () => void;
}

/** Nothing found is an answer: what was closest, why, what to try. */
export function drawEmpty(
  name: string,
  { closest = [], why = [], transform, problems, lake }: Answer,
  does: EmptyActs
): HTMLElement {
  const nearest = closest.length
    ? drawFacts(closest, true)
    : h('p', {}, 'No column shares a single value with it.');
  const title = h('b', {}, 'Nothing in this lake joins with ', h('code', {}, name));
  return h(
    'div',
    { class: 'lv-Empty' },
    h('section', {}, h('p', { class: 'lv-H' }, title), nearest),
    h(
      'section',
      {},
      h('p', { class: 'lv-H' }, h('b', {}, 'Why')),
      h('ul', {}, ...why.map(line => h('li', {}, line)))
    ),
    h(
      'section',
      {},
      h('p', { class: 'lv-H' }, h('b', {}, 'What to try')),
      transform
        ? h('p', {}, button('search', 'Look for a transformation', does.transform, {}, 'accept'))
        : null,
      problems && lake ? h('p', {}, button('warn', 'See the problems', does.problems)) : null,
      h(
        'ul',
        {},
        h('li', {}, 'Another column: choose it above.'),
        h('li', {}, h('code', {}, 'lake.index()'), ' takes in new and changed files.')
      )
    )
  );
}
