import { h } from '../parts/dom';
import { alike, COLUMNS, CONFIDENCE, KINDS, makeRow } from '../widgets/hit_row';
import type { HitRow } from '../widgets/traits';
import type { Cell, SavedTable } from './saved';

/** Phrases of a row in one cell. */
const BETWEEN = ' · ';

/** The rows of a result's grid; null where the table holds none, or none that can be shown so. */
export function readHits(saved: SavedTable): HitRow[] | null {
  if (saved.view !== 'hits') {
    return null;
  }
  const labels = saved.columns.map(column => column.label);
  const rows = saved.rows.map(row => readRow(new Map(row.map((cell, i) => [labels[i], cell]))));
  return rows.every(row => row !== null) ? rows : null;
}

function readRow(cells: Map<string, Cell>): HitRow | null {
  const text = (name: string): string => String(cells.get(name) ?? '');
  const number = (name: string): number => Number(cells.get(name)) || 0;
  const isSet = (name: string): boolean => cells.get(name) === true;
  const phrases = (name: string): string[] => text(name).split(BETWEEN).filter(Boolean);
  const kind = text('kind') as HitRow['kind'];
  const confidence = text('confidence') as HitRow['confidence'];
  if (!Object.hasOwn(KINDS, kind) || !Object.hasOwn(CONFIDENCE, confidence)) {
    return null;
  }
  return {
    id: text('id'),
    rank: number('rank'),
    table: text('table'),
    column: text('column'),
    stem: text('stem'),
    extension: text('extension'),
    full: text('full'),
    kind,
    note: text('note'),
    alike: number('alike'),
    confidence,
    line: text('line'),
    pro: phrases('pro'),
    con: phrases('con'),
    exact: isSet('exact'),
    share: number('share'),
    low: number('low'),
    high: number('high'),
    percent: text('percent'),
    without: text('without'),
    spoken: text('spoken'),
    rows_out: number('rows_out'),
    rows_text: text('rows_text'),
    factor: text('factor'),
    effect: text('effect'),
    warn: isSet('warn'),
    adds: number('adds'),
    adds_text: text('adds_text'),
    adds_names: text('adds_names'),
    below: isSet('below'),
    common: isSet('common'),
    step: isSet('step')
  };
}

/** The grid as it was, without what only a kernel can do; what is out of the ranking is one line that opens. */
export function drawHits(hits: HitRow[], title: string): HTMLElement {
  const below = hits.filter(hit => hit.below);
  const heads = COLUMNS.map(({ name, head, sentence, key }) =>
    h(
      'th',
      { scope: 'col', role: 'columnheader', class: name },
      h('span', key ? { title: sentence } : { class: 'lv-sr' }, head)
    )
  );
  const head = h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...heads));
  const above = hits.filter(hit => !hit.below);
  return h(
    'div',
    {},
    drawTable(above, title, head),
    below.length
      ? h(
          'details',
          { class: 'lv-Below' },
          h('summary', {}, h('b', {}, `${below.length} more below the ranking`)),
          drawTable(below, `Below the ranking: ${title}`)
        )
      : null
  );
}

function drawTable(hits: HitRow[], label: string, head: HTMLElement | null = null): HTMLElement {
  const groups = hits.map(hit => {
    const row = makeRow(hit, 'cell');
    if (hit.alike) {
      row.querySelector('.lv-name .lv-sub')?.append(` · ${alike(hit)}`);
    }
    const look = hit.below ? 'lv-Hit lv-accident' : 'lv-Hit';
    return h('tbody', { role: 'rowgroup', class: look }, row);
  });
  const look = { class: 'lv-Grid lv-Hits', role: 'table', 'aria-label': label };
  return h('table', look, head, ...groups);
}
