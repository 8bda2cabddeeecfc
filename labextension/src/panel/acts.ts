import type { INotebookTracker } from '@jupyterlab/notebook';

import { parseSaved } from '../saved/saved';
import { drawTable, drawUnreadable } from '../saved/table';
import { Code } from './code';
import type { Model } from './model';
import { warn } from './toasts';

/** The Join and Preview buttons of a search's output, each with `act result hit`. */
const BUTTON = '.lv-Act[data-lakeview]';

/** Answer those buttons, in outputs of a notebook, where somebody clicks or presses them: a script alone does not. */
export function listenToOutputs(model: Model, tracker: INotebookTracker): void {
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest?.<HTMLElement>(BUTTON);
    const panel = button && tracker.find(each => each.content.node.contains(button));
    if (!button || !panel || !event.isTrusted) {
      return;
    }
    event.preventDefault();
    void answer(model, button).catch(error => warn(aboutOf(button) ?? model.name, error));
  });
}

/** The table and column that a button joins, where its row says so. */
function aboutOf(button: HTMLElement): string | undefined {
  const summary = button.closest('details')?.querySelector('summary')?.textContent;
  return summary?.replace('Details of ', '');
}

async function answer(model: Model, button: HTMLElement): Promise<void> {
  const [act, hits, hit] = (button.dataset.lakeview ?? '').split(' ');
  const which = { hits, hit: Number(hit) };
  if (act === 'join') {
    const code = Code.ofKernel((await model.ask('join', which)).code);
    if (!code) {
      throw new Error('The code of this join holds characters that no cell can show.');
    }
    await model.insert(code, button);
    return;
  }
  const { table } = await model.ask('preview', which);
  const saved = parseSaved(table);
  const place = button.closest('.lv-Detail, .lv-Joins');
  const output = place?.querySelector('.lv-Output') ?? document.createElement('div');
  output.className = 'lv-Output';
  output.replaceChildren(saved ? drawTable(saved, '') : drawUnreadable());
  place?.append(output);
}
