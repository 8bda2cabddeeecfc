import type { INotebookTracker } from '@jupyterlab/notebook';

import { INSERT_EVENT, sayShutDown } from '../widgets/offer';
import { insertCell } from './cells';
import { Code } from './code';
import type { Model } from './model';

/**
 * Take the code that a widget offers. A widget knows that it was taken by `preventDefault`, and copies the code
 * otherwise. Only a click or a key press inserts: a script alone does not.
 */
export function listenToWidgets(model: Model, tracker: INotebookTracker): void {
  document.addEventListener(INSERT_EVENT, event => {
    const { detail } = event as CustomEvent<{ code?: unknown } | null>;
    const code = Code.ofKernel(detail?.code);
    const node = event.target as Node;
    const panel = tracker.find(each => each.content.node.contains(node));
    if (code && panel && navigator.userActivation?.isActive) {
      event.preventDefault();
      void insertCell(panel, code, model.runsCells, node);
    }
  });
}

/** Tell widgets of a kernel that was shut down: nobody answers them any more. */
export function tellWidgets(tracker: INotebookTracker): void {
  tracker.widgetAdded.connect((_, panel) => {
    panel.sessionContext.kernelChanged.connect((_, { newValue }) => {
      if (!newValue) {
        sayShutDown();
      }
    });
  });
}
