import { h } from '../parts/dom';
import type { Said } from './traits';

/** What a widget dispatches on its own element to have code inserted below its cell. */
export const INSERT_EVENT = 'lakeview:insert';

/** What the panel says, as ipywidgets does not, when the kernel of some notebook was shut down. */
export const SHUT_DOWN = 'lakeview:shut-down';

export function sayShutDown(): void {
  document.dispatchEvent(new Event(SHUT_DOWN));
}

/** Milliseconds after which an inserted cell has run: another name is free then. */
export const RUNS = 1500;

/** How an offer ended. */
export type Taken = 'inserted' | 'copied' | 'refused';

/**
 * Code for a cell: through lakeview's extension where it is there, else into the clipboard; a copy is for the clipboard
 * alone. The code is the kernel's, and goes on as it came.
 */
export async function offer(root: HTMLElement, code: string, then: Said['then']): Promise<Taken> {
  const detail = { code };
  const event = new CustomEvent(INSERT_EVENT, { detail, bubbles: true, cancelable: true });
  if (then === 'join' && !root.dispatchEvent(event)) {
    return 'inserted';
  }
  try {
    await navigator.clipboard.writeText(code);
    return 'copied';
  } catch {
    return 'refused'; // or there is no clipboard
  }
}

/** Code to be copied by hand. */
export function drawOffered(code: string): HTMLElement {
  return h('pre', { class: 'lv-Code', tabindex: 0 }, code);
}
