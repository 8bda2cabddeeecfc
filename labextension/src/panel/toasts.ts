import { Notification } from '@jupyterlab/apputils';

import { visible } from './code';
import { middle } from './groups';

/** Milliseconds that a notification stays; without it, it is only counted. */
const SHOWN = 8000;
const ROOM = 60; // characters of a name: Lab shows 140 of a notification

/** A name on one line; a long one is cut in its middle, so that what is said of it can be read. */
export function named(name: string): string {
  const [start, end] = middle(visible(name));
  const cut = Array.from(start);
  return cut.length < ROOM ? start + end : `${cut.slice(0, ROOM).join('')}…${end}`;
}

/** Say what went wrong, and first with what: a file, a table, a notebook. */
export function warn(about: string, error: unknown): void {
  const { message } = error as Error;
  const said = message.includes(about) ? message : `${named(about)}: ${message}`;
  Notification.warning(said, { autoClose: SHOWN });
}

export function tell(message: string): void {
  Notification.info(message, { autoClose: SHOWN });
}

export function copied(what: string): void {
  Notification.success(`Copied ${named(what)}`, { autoClose: 3000 });
}
