import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Frame } from './messages';

/** The headers of every DataFrame that pandas renders. */
export const HEADER = '.jp-RenderedHTMLCommon table.dataframe thead th';

/** A column header in an output: its text, those beside it, and the code of the cell that made it. */
export interface Header {
  node: HTMLElement;
  column: string;
  columns: string[];
  source: string;
  /** The number of the output, for `_3`; null where the cell has not run here. */
  execution: number | null;
}

export function readHeader(node: HTMLElement, panel: NotebookPanel): Header | null {
  const column = node.textContent?.trim() ?? '';
  const cell = panel.content.widgets.find(widget => widget.node.contains(node));
  if (!column || !cell) {
    return null;
  }
  const row = [...(node.parentElement?.querySelectorAll('th') ?? [])];
  const execution = cell.model.sharedModel.toJSON().execution_count;
  return {
    node,
    column,
    columns: row.map(header => header.textContent?.trim() ?? '').filter(Boolean),
    source: cell.model.sharedModel.getSource(),
    execution: typeof execution === 'number' ? execution : null
  };
}

/**
 * What `%lakeview search` takes for the column of a rendered table: a column of a frame that has all of its columns
 * (… stands for those that pandas left out), first of those that the cell's last line names, as it made the output,
 * or else its other lines; where there is none, of the cell's own output.
 */
export function findCode(header: Header, frames: Frame[]): string[] {
  const lines = header.source.split('\n').filter(line => line.trim());
  const named = (code: string) => (frame: Frame) =>
    new RegExp(`(^|[^\\w.])${frame.name}(?!\\w)`).test(code);
  const fitting = frames.filter(frame => {
    const names = new Set(frame.columns.map(column => column.name));
    return header.columns.every(column => column === '...' || names.has(column));
  });
  const choices = [named(lines.at(-1) ?? ''), named(header.source)].map(is => fitting.filter(is));
  const codes = (choices.find(choice => choice.length) ?? fitting)
    .map(frame => frame.columns.find(column => column.name === header.column)?.code)
    .filter((code): code is string => typeof code === 'string');
  if (codes.length || header.execution === null) {
    return codes;
  }
  return [`_${header.execution}[${JSON.stringify(header.column)}]`];
}
