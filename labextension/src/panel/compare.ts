import { InputDialog } from '@jupyterlab/apputils';

import type { Frame, Lake } from '../messages';
import { Code, code, lakeColumn } from './code';

const MOST = 2000; // columns that are offered; any other can be typed

/**
 * The line that compares a column with another that the analyst picks; null where none is picked. likely: names of
 * those that are likely meant.
 */
export async function compareWith(
  column: Code,
  frames: Frame[],
  lake: Lake | null,
  likely: string[] = []
): Promise<Code | null> {
  const others = offered(frames, lake);
  others.delete(String(column));
  const asked = InputDialog.getItem({
    title: `Compare ${String(column)} with`,
    label: 'A column of the lake or of a DataFrame',
    items: likelyFirst([...others.keys()], likely),
    editable: true,
    okLabel: 'Compare'
  });
  // What is proposed is selected, so that typing takes its place.
  requestAnimationFrame(() =>
    document.querySelector<HTMLInputElement>('.jp-Dialog input[list]')?.select()
  );
  const picked = await asked;
  const text = picked.button.accept && picked.value?.trim();
  return text ? code`%lakeview compare ${column} --with ${others.get(text) ?? text}` : null;
}

/** Names with the likely ones before all others. */
function likelyFirst(names: string[], likely: string[]): string[] {
  const first = likely.filter(name => names.includes(name));
  return [...first, ...names.filter(name => !first.includes(name))];
}

/** All columns, as they are written: the lake's first. */
function offered(frames: Frame[], lake: Lake | null): Map<string, Code> {
  const found: Code[] = [];
  for (const table of lake?.tables ?? []) {
    for (const column of table.columns.slice(0, MOST - found.length)) {
      found.push(lakeColumn(table.name, column.name));
    }
  }
  return new Map([...found, ...frames.flatMap(columnsOf)].map(each => [String(each), each]));
}

/** The columns of a frame that can be asked for. */
export function columnsOf(frame: Frame): Code[] {
  return frame.columns.map(column => Code.ofKernel(column.code)).filter(each => each !== null);
}
