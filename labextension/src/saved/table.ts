import { count } from '../parts/numbers';
import { drawHits, readHits } from './hits';
import type { Cell, SavedTable } from './saved';

/**
 * Draw a saved table, with a note on what it is. Every text goes in as text, so that no value of the lake can act as
 * markup.
 */
export function drawTable(saved: SavedTable, note = 'saved result'): HTMLElement {
  const section = element('section', 'lv lv-Saved');
  section.setAttribute('aria-label', saved.title || 'Saved result of lakeview');
  if (note) {
    const of = saved.at ? ` of ${saved.at}` : '';
    const said = element('p', 'lv-Note', `Saved result${of}. Run again to work with it.`);
    said.setAttribute('role', 'note');
    section.append(said);
  }
  const hits = readHits(saved);
  section.append(drawHead(saved), hits ? drawHits(hits, saved.title) : drawGrid(saved));
  if (saved.total > saved.rows.length) {
    const shown = `${count(saved.rows.length)} of ${count(saved.total)}`;
    const more = note ? `${shown} rows were saved.` : `${shown} rows.`;
    section.append(element('p', 'lv-More', more));
  }
  return section;
}

/** What stands where a saved result cannot be read. */
export function drawUnreadable(): HTMLElement {
  const section = element('section', 'lv lv-Saved');
  const note = element('p', 'lv-More', 'This result was saved by another version of lakeview.');
  note.setAttribute('role', 'alert');
  section.append(note);
  return section;
}

function drawHead(saved: SavedTable): HTMLElement {
  const head = element('header', 'lv-Head');
  head.append(
    element('p', 'lv-Title', saved.title),
    element('p', 'lv-Facts', saved.facts.join(' · '))
  );
  return head;
}

function drawGrid(saved: SavedTable): HTMLElement {
  const frame = element('div', 'lv-Scroll');
  // A table wider than the output scrolls; the keyboard can reach and scroll it too.
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', `Rows: ${saved.title}`);
  const table = element('table', 'lv-Grid lv-Frame');
  const thead = element('thead');
  const header = element('tr');
  for (const column of saved.columns) {
    const cell = element('th', column.type === 'number' ? 'lv-num' : '', column.label);
    cell.setAttribute('scope', 'col');
    header.append(cell);
  }
  thead.append(header);
  const whole = saved.columns.map((_, i) =>
    saved.rows.every(row => typeof row[i] !== 'number' || Number.isInteger(row[i]))
  );
  const body = element('tbody');
  for (const row of saved.rows) {
    const line = element('tr');
    row.forEach((value, i) => {
      line.append(
        element('td', saved.columns[i].type === 'number' ? 'lv-num' : '', text(value, whole[i]))
      );
    });
    body.append(line);
  }
  table.append(thead, body);
  frame.append(table);
  return frame;
}

/** A value as text; numbers of a column have decimals all or none. */
function text(value: Cell, whole: boolean): string {
  if (value === null) {
    return '–';
  }
  if (typeof value !== 'number') {
    return String(value);
  }
  const digits = whole ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 3 };
  return value.toLocaleString('en', digits);
}

function element(tag: string, className = '', content = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = content;
  return made;
}
