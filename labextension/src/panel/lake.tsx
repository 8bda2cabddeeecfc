import * as React from 'react';

import type { Lake, LakeColumn, LakeTable } from '../messages';
import { count, plural } from '../parts/numbers';
import { lakeColumn, visible, type Code } from './code';
import { makeFilter, match } from './filter';
import { byFolder, middle, nameInside, type Group } from './groups';
import type { Model } from './model';
import { NotIndexed } from './not_indexed';
import { Button, Icon } from './parts';
import { head, Tree, Type, type Line } from './tree';

const LOOKED_AT = 10; // open tables whose histograms are asked for at once

const ALL_OPEN = 40; // tables up to which folders are open unasked

interface Props {
  model: Model;
  lake: Lake;
  /** The histograms that are known, by table. */
  shapes: Record<string, number[][]>;
  onFind: (code: Code) => void;
}

/** The lake's folders, tables and columns under a filter box. */
export function LakeView({ model, lake, shapes, onFind }: Props): React.JSX.Element {
  const [text, setText] = React.useState('');
  const [open, setOpen] = React.useState<Record<string, boolean>>({});
  const filter = React.useMemo(() => makeFilter(lake.tables), [lake]);
  const found = React.useMemo(() => filter(text), [filter, text]);
  const groups = React.useMemo(() => byFolder(found.tables), [found]);
  const all = React.useMemo(
    () => lake.tables.reduce((sum, table) => sum + table.columns.length, 0),
    [lake]
  );
  const filtering = text.trim() !== '';
  const isOpen = (name: string): boolean => open[name] ?? filtering;
  const isFolderOpen = (folder: string): boolean =>
    open[`${folder}/`] ?? (filtering || lake.tables.length <= ALL_OPEN || groups.length === 1);
  React.useEffect(() => {
    // Not while somebody types, and not for all of a long list.
    const timer = setTimeout(() => {
      const names = found.tables.map(({ table }) => table.name).filter(isOpen);
      names.slice(0, LOOKED_AT).forEach(name => void model.look(name));
    }, 150);
    return () => clearTimeout(timer);
  }, [found, open]);
  if (!lake.indexed_at) {
    return <NotIndexed model={model} lake={lake} />;
  }
  const label = `Filter ${plural(lake.tables.length, 'table')}, ${plural(all, 'column')}`;
  const draw = (group: Group, level: 1 | 2): Line[] =>
    group.tables.flatMap(({ table, columns }, i) => {
      const place: Place = { i, siblings: group.tables.length, level };
      return lines(table, columns, place, isOpen(table.name), text, shapes[table.name]);
    });
  return (
    <>
      <div className="lv-Filter">
        <input
          type="search"
          className="lv-Input"
          aria-label="Filter tables and columns"
          placeholder={label}
          value={text}
          onChange={event => {
            setText(event.target.value);
            setOpen({});
          }}
          onKeyDown={event => {
            if (event.key === 'Escape' && text) {
              setText('');
              event.stopPropagation();
            }
          }}
        />
        <Button icon="refresh" label="Index what changed" onClick={() => void model.index()} />
      </div>
      <p className="lv-Found" role="status">
        {filtering &&
          `${plural(found.columns, 'column')} in ${plural(found.tables.length, 'table')}`}
      </p>
      <Tree
        label={filtering ? 'Filtered lake' : 'Lake'}
        lines={groups.flatMap((group, i) => {
          if (!group.folder) {
            return draw(group, 1);
          }
          const expanded = isFolderOpen(group.folder);
          const line = folderLine(group, i, groups.length, expanded);
          return expanded ? [line, ...draw(group, 2)] : [line];
        })}
        onToggle={(name, expanded) => setOpen(before => ({ ...before, [name]: expanded }))}
        onFind={onFind}
      />
    </>
  );
}

function folderLine(group: Group, i: number, siblings: number, expanded: boolean): Line {
  const inside = count(group.tables.length);
  return head({
    key: `${group.folder}/`,
    label: () => `${visible(group.folder)}, folder, ${plural(group.tables.length, 'table')}`,
    expanded,
    position: i + 1,
    siblings,
    icon: 'folder',
    name: <Name name={group.folder} text="" />,
    note: inside
  });
}

interface Place {
  i: number;
  siblings: number;
  level: 1 | 2;
}

function lines(
  table: LakeTable,
  columns: LakeColumn[],
  { i, siblings, level }: Place,
  expanded: boolean,
  text: string,
  bars: number[][] | undefined
): Line[] {
  const rows = table.rows ? plural(table.rows, 'row') : 'no rows';
  const first = head({
    key: table.name,
    level,
    label: () => `${visible(nameInside(table.name))}, ${rows}`,
    expanded,
    position: i + 1,
    siblings,
    table: table.name,
    name: <Name name={nameInside(table.name)} title={table.name} text={text} />,
    note: rows
  });
  if (!expanded) {
    return [first];
  }
  const leaves = columns.map((column, j) => ({
    key: `${table.name}\n${column.name}`,
    level: (level + 1) as 2 | 3,
    label: () => spoken(column),
    position: j + 1,
    siblings: columns.length,
    // Made when a row is drawn: of thousands of columns a few dozen are.
    get code() {
      return lakeColumn(table.name, column.name);
    },
    content: () => (
      <>
        <Type type={column.type} />
        <Name name={column.name} text={text} />
        {column.key && <Icon name="key" label="key" />}
        <Histogram bars={bars?.[table.columns.indexOf(column)]} />
        <span className="lv-num" title="distinct values">
          {count(column.distinct)}
        </span>
        <span className="lv-num lv-Nulls" title="nulls">
          {count(column.nulls)}
        </span>
      </>
    )
  }));
  return [first, ...leaves];
}

/** "faa, text, key, 1,458 distinct, 0 null" */
function spoken(column: LakeColumn): string {
  const key = column.key ? ', key' : '';
  const counts = `${count(column.distinct)} distinct, ${count(column.nulls)} null`;
  return `${visible(column.name)}, ${column.type}${key}, ${counts}`;
}

/** How often the values occur, the most frequent first: a key is level, a skewed column falls off. */
function Histogram({ bars }: { bars: number[] | undefined }): React.JSX.Element {
  const width = 40 / Math.max(bars?.length ?? 0, 1);
  const said =
    bars?.length && bars.at(-1) === 100
      ? 'all values are as frequent'
      : 'some values are more frequent';
  return (
    <svg className="lv-Hist" viewBox="0 0 40 14" aria-hidden="true">
      {bars?.length ? <title>{said}</title> : null}
      {bars?.map((height, i) => (
        <rect
          key={i}
          x={i * width}
          y={14 - 0.13 * height}
          width={Math.max(width - 1, 1)}
          height={0.13 * height}
        />
      ))}
    </svg>
  );
}

interface NameProps {
  name: string;
  text: string;
  /** Shown when the pointer rests on it; else the name. */
  title?: string;
}

/** A name, what was filtered for marked in it; a long one is cut in its middle, so that its end can be read. */
function Name({ name, text, title = name }: NameProps): React.JSX.Element {
  const seen = visible(name);
  const [before, inside, after] = match(seen, text);
  const [start, end] = inside ? [seen, ''] : middle(seen);
  return (
    <span className="lv-Row-name" title={visible(title)}>
      {inside ? (
        <span>
          {before}
          <mark>{inside}</mark>
          {after}
        </span>
      ) : (
        <span>{start}</span>
      )}
      {end && <span>{end}</span>}
    </span>
  );
}
