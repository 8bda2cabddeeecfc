import type { Found } from './filter';

export interface Group {
  /** The folder's path in the lake; "" for what lies in the lake itself. */
  folder: string;
  tables: Found['tables'];
}

/** The tables by their folders, folders in the order of their first tables; what lies in no folder comes last. */
export function byFolder(tables: Found['tables']): Group[] {
  const groups = new Map<string, Found['tables']>();
  for (const each of tables) {
    const folder = folderOf(each.table.name);
    const group = groups.get(folder);
    if (group) {
      group.push(each);
    } else {
      groups.set(folder, [each]);
    }
  }
  const found = [...groups].map(([folder, inside]) => ({ folder, tables: inside }));
  return [...found.filter(group => group.folder), ...found.filter(group => !group.folder)];
}

/** "nycflights13" of "nycflights13/airports.csv"; "" of what lies in no folder. */
function folderOf(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf('/'), 0));
}

/** The name of a table in its folder. */
export function nameInside(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

const TAIL = 9; // characters of a name's end that stay

/** A name in two: what may be cut, and its end with the extension, which stays. */
export function middle(name: string): [string, string] {
  const points = Array.from(name);
  const cut = points.length > 2 * TAIL ? points.length - TAIL : points.length;
  return [points.slice(0, cut).join(''), points.slice(cut).join('')];
}
