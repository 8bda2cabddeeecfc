import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';

import type { Code } from './code';

/** Insert code as a new cell below the active one, or below `node`'s cell, and run it unless told otherwise. */
export async function insertCell(
  panel: NotebookPanel,
  code: Code,
  run = true,
  node?: Node
): Promise<void> {
  const notebook = panel.content;
  const place = node ? notebook.widgets.findIndex(cell => cell.node.contains(node)) : -1;
  if (place >= 0) {
    notebook.activeCellIndex = place;
  }
  notebook.deselectAll();
  NotebookActions.insertBelow(notebook);
  notebook.activeCell?.model.sharedModel.setSource(String(code));
  const running = run ? NotebookActions.run(notebook, panel.sessionContext) : null;
  // The keyboard goes on from there: not before it runs, or Lab would take the focus once more, after scrolling.
  notebook.activate();
  await running;
}
