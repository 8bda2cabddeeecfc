/**
 * A saved result, `application/vnd.lakeview.v1+json`: a table of bounded length with its heading.
 * It holds text and numbers alone, never code or markup.
 */
export interface SavedTable {
  /** What was asked, as one line. */
  title: string;
  /** Short facts that stand beside the title. */
  facts: string[];
  columns: SavedColumn[];
  /** One array a row, as long as `columns`. */
  rows: Cell[][];
  /** How many rows there were; more than `rows.length` where the output was cut. */
  total: number;
  /** "hits" where the rows are those of a result's grid. */
  view?: string;
  /** The time of day at which it was saved. */
  at?: string;
}

export interface SavedColumn {
  label: string;
  type: 'text' | 'number';
}

export type Cell = string | number | boolean | null;

/** Read what a notebook file holds; `null` where it is not a table of this version. */
export function parseSaved(data: unknown): SavedTable | null {
  if (!isRecord(data) || !Array.isArray(data.columns) || !Array.isArray(data.rows)) {
    return null;
  }
  const columns = data.columns.map(readColumn);
  if (columns.some(column => column === null)) {
    return null;
  }
  const rows = data.rows as unknown[];
  if (
    !rows.every(row => Array.isArray(row) && row.length === columns.length && row.every(isCell))
  ) {
    return null;
  }
  return {
    title: typeof data.title === 'string' ? data.title : '',
    facts: Array.isArray(data.facts) ? data.facts.filter(fact => typeof fact === 'string') : [],
    columns: columns as SavedColumn[],
    rows: rows as Cell[][],
    total: typeof data.total === 'number' ? data.total : rows.length,
    view: typeof data.view === 'string' ? data.view : undefined,
    at: typeof data.at === 'string' ? data.at : undefined
  };
}

function readColumn(column: unknown): SavedColumn | null {
  if (!isRecord(column) || typeof column.label !== 'string') {
    return null;
  }
  return { label: column.label, type: column.type === 'number' ? 'number' : 'text' };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCell(value: unknown): value is Cell {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
