import type { LakeColumn, LakeTable } from '../messages';

/** What is left of the lake: tables whose name matches with all columns, others with those that match. */
export interface Found {
  tables: { table: LakeTable; columns: LakeColumn[] }[];
  columns: number;
}

/** A filter over one lake; names are lowered once, so that every key press is one pass over plain strings. */
export function makeFilter(tables: LakeTable[]): (text: string) => Found {
  const lowered = tables.map(table => ({
    table,
    name: table.name.toLowerCase(),
    columns: table.columns.map(column => column.name.toLowerCase())
  }));
  return text => {
    const wanted = text.trim().toLowerCase();
    const found: Found = { tables: [], columns: 0 };
    for (const { table, name, columns } of lowered) {
      const left =
        !wanted || name.includes(wanted)
          ? table.columns
          : table.columns.filter((_, i) => columns[i].includes(wanted));
      if (left.length) {
        found.tables.push({ table, columns: left });
        found.columns += left.length;
      }
    }
    return found;
  };
}

/** The parts of a name before, in and after the first match. */
export function match(name: string, text: string): [string, string, string] {
  const wanted = text.trim().toLowerCase();
  const start = wanted ? name.toLowerCase().indexOf(wanted) : -1;
  if (start < 0) {
    return [name, '', ''];
  }
  const end = start + wanted.length;
  return [name.slice(0, start), name.slice(start, end), name.slice(end)];
}
