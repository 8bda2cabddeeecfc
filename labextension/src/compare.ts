import { InputDialog } from '@jupyterlab/apputils';

import type { Frame, Lake } from './messages';

const MOST = 2000; // columns that are offered; any other can be typed

/** The line that compares a column with another that the analyst picks; null where none is picked. */
export async function compareWith(
  code: string,
  frames: Frame[],
  lake: Lake | null
): Promise<string | null> {
  const picked = await InputDialog.getItem({
    title: `Compare ${code} with`,
    label: 'A column of the lake or of a DataFrame',
    items: others(code, frames, lake),
    editable: true,
    okLabel: 'Compare'
  });
  const other = picked.button.accept && picked.value ? quoted(picked.value.trim()) : null;
  return other && `%lakeview compare ${code} --with ${other}`;
}

/** All columns but the one that is compared: the lake's first. */
function others(code: string, frames: Frame[], lake: Lake | null): string[] {
  const found: string[] = [];
  for (const table of lake?.tables ?? []) {
    found.push(...table.columns.map(column => `${table.name}.${column.name}`));
  }
  const own = frames.flatMap(frame => frame.columns.map(column => column.code ?? ''));
  return [...found.slice(0, MOST), ...own].filter(
    other => other && other !== code && quoted(other) !== null
  );
}

/** One word of a line of magic; null for what cannot be one. */
function quoted(text: string): string | null {
  if (/^[^\s"']+$/.test(text)) {
    return text;
  }
  const quote = ['"', "'"].find(each => !text.includes(each));
  return text && quote && !/[\r\n\\]/.test(text) ? quote + text + quote : null;
}
