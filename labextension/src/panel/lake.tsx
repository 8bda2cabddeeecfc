import * as React from 'react';

import type { Lake, LakeColumn, LakeTable } from '../messages';
import { count, plural } from '../parts/numbers';
import { lakeColumn, visible, type Code } from './code';
import { makeFilter, match } from './filter';
import { Button, Icon } from './parts';
import { head, Tree, Type, type Line } from './tree';

const LOOKED_AT = 10; // open tables whose histograms are asked for at once

interface Props {
  lake: Lake;
  /** The histograms that are known, by table. */
  shapes: Record<string, number[][]>;
  /** A table is open. */
  onOpen: (table: string) => void;
  onFind: (code: Code) => void;
  onIndex: () => void;
}

/** The lake's tables and columns under a filter box. */
export function LakeView({ lake, shapes, onOpen, onFind, onIndex }: Props): React.JSX.Element {
  const [text, setText] = React.useState('');
  const [open, setOpen] = React.useState<Record<string, boolean>>({});
  const filter = React.useMemo(() => makeFilter(lake.tables), [lake]);
  const found = React.useMemo(() => filter(text), [filter, text]);
  const all = React.useMemo(
    () => lake.tables.reduce((sum, table) => sum + table.columns.length, 0),
    [lake]
  );
  const filtering = text.trim() !== '';
  const isOpen = (name: string): boolean => open[name] ?? filtering;
  React.useEffect(() => {
    // Not while somebody types, and not for all of a long list.
    const timer = setTimeout(() => {
      const names = found.tables.map(({ table }) => table.name).filter(isOpen);
      names.slice(0, LOOKED_AT).forEach(onOpen);
    }, 150);
    return () => clearTimeout(timer);
  }, [found, open]);
  if (!lake.indexed_at) {
    return (
      <div className="lv-Cost">
        <b>Index this lake to search it</b>
        <p>Its tables are read once; later only what changed.</p>
        <Button accept onClick={onIndex}>
          Index it
        </Button>
      </div>
    );
  }
  const label = `Filter ${plural(lake.tables.length, 'table')}, ${plural(all, 'column')}`;
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
        <Button icon="refresh" label="Index what changed" onClick={onIndex} />
      </div>
      <p className="lv-Found" role="status">
        {filtering &&
          `${plural(found.columns, 'column')} in ${plural(found.tables.length, 'table')}`}
      </p>
      <Tree
        label={filtering ? 'Filtered lake' : 'Lake'}
        lines={found.tables.flatMap(({ table, columns }, i) =>
          lines(
            table,
            columns,
            i,
            found.tables.length,
            isOpen(table.name),
            text,
            shapes[table.name]
          )
        )}
        onToggle={(name, expanded) => setOpen(before => ({ ...before, [name]: expanded }))}
        onFind={onFind}
      />
    </>
  );
}

function lines(
  table: LakeTable,
  columns: LakeColumn[],
  i: number,
  siblings: number,
  expanded: boolean,
  text: string,
  bars: number[][] | undefined
): Line[] {
  const rows = plural(table.rows, 'row');
  const first = head({
    key: table.name,
    label: () => `${visible(table.name)}, ${rows}`,
    expanded,
    position: i + 1,
    siblings,
    name: <Name name={table.name} text={text} />,
    note: rows
  });
  if (!expanded) {
    return [first];
  }
  const leaves = columns.map((column, j) => ({
    key: `${table.name}\n${column.name}`,
    level: 2 as const,
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

function Name({ name, text }: { name: string; text: string }): React.JSX.Element {
  const seen = visible(name);
  const [before, inside, after] = match(seen, text);
  return (
    <span className="lv-Row-name" title={seen}>
      {before}
      {inside && <mark>{inside}</mark>}
      {after}
    </span>
  );
}
