import type { Place } from '../messages';
import { plural } from '../parts/numbers';
import { code } from './code';
import type { Model } from './model';
import { warn } from './toasts';

/** A cell that makes the demo lake, where there is none yet, and opens it. */
export const DEMO = code`from lakeview.demo import demo_lake\ndemo_folder = demo_lake()\n%lakeview open demo_folder`;

/** Open a folder as the notebook's lake, by a cell of its own. */
export async function open(model: Model, path: string): Promise<void> {
  await model.insert(code`%lakeview open ${path}`);
}

/** Open the folder that is picked in Lab's dialog. */
export async function browse(model: Model, pick: () => Promise<string | null>): Promise<void> {
  let path: string | null = null;
  try {
    path = await pick();
    if (path !== null) {
      await open(model, path);
    }
  } catch (error) {
    warn(path ?? model.name, error);
  }
}

/** "17:11" of a moment of today, "12 Nov" of another day. */
export function day(moment: string): string {
  const when = new Date(moment);
  const today = new Date().toDateString() === when.toDateString();
  return new Intl.DateTimeFormat(
    'en-GB',
    today ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }
  ).format(when);
}

/** "908 tables" */
export function tables(place: Place): string {
  return place.indexed_at ? plural(place.tables, 'table') : 'not indexed';
}

/** "~/lakes/big · 908 tables · indexed 12 Nov"; a path that is the lake's name stands above it already. */
export function line(place: Place): string {
  const where = place.path === place.name ? [] : [place.path];
  const when = place.indexed_at ? [`indexed ${day(place.indexed_at)}`] : [];
  return [...where, tables(place), ...when].join(' · ');
}
