import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Frame, FrameColumn } from '../messages';
import { Code, code, visible } from './code';

/** The headers of every DataFrame that pandas renders. */
export const HEADER = '.jp-RenderedHTMLCommon table.dataframe thead th';

/** A column header in an output: its text, those beside it, and the code of the cell that made it. */
export interface Header {
  node: HTMLElement;
  column: string;
  columns: string[];
  /** Counted from the last one, below 0: the index stands before the columns. */
  place: number;
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
  const row = [...(node.parentElement?.querySelectorAll<HTMLElement>('th') ?? [])];
  const execution = cell.model.sharedModel.toJSON().execution_count;
  return {
    node,
    column,
    place: row.indexOf(node) - row.length,
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
export function findCode(header: Header, frames: Frame[]): Code[] {
  const lines = header.source.split('\n').filter(line => line.trim());
  const named = (code: string) => (frame: Frame) =>
    new RegExp(`(^|[^\\w.])${frame.name}(?!\\w)`).test(code);
  const fitting = frames.filter(frame => {
    const names = new Set(frame.columns.map(column => legible(column.name)));
    return header.columns.every(column => column === '...' || names.has(legible(column)));
  });
  const choices = [named(lines.at(-1) ?? ''), named(header.source)].map(is => fitting.filter(is));
  const codes = (choices.find(choice => choice.length) ?? fitting)
    .flatMap(frame => columnsAt(header, frame))
    .map(column => Code.ofKernel(column.code))
    .filter(code => code !== null);
  if (codes.length || header.execution === null) {
    return codes;
  }
  return [code`_${header.execution}[${header.column}]`];
}

/** The columns of a frame that a header may stand for: of those that read alike, the one at its place. */
function columnsAt({ column, columns, place }: Header, frame: Frame): FrameColumn[] {
  const alike = frame.columns.filter(({ name }) => legible(name) === legible(column));
  const there = columns.includes('...') ? undefined : frame.columns.at(place);
  return there && alike.includes(there) ? [there] : alike;
}

/** What of a name reads the same in a page and in the kernel's list: neither blanks nor escapes. */
function legible(name: string): string {
  return visible(name)
    .replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[nrt])/g, '')
    .replace(/[\s\ufffd]/g, '')
    .slice(0, 150);
}
