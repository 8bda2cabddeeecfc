import * as React from 'react';

import { makeFilter, match } from './filter';
import type { Lake, LakeColumn, LakeTable } from './messages';
import { Button, count, glyph, Icon, plural } from './parts';
import { Tree, type Line } from './tree';

interface Props {
  lake: Lake;
  onFind: (code: string) => void;
  onIndex: () => void;
}

/** The lake's tables and columns under a filter box. */
export function LakeView({ lake, onFind, onIndex }: Props): React.JSX.Element {
  const [text, setText] = React.useState('');
  const [open, setOpen] = React.useState<Record<string, boolean>>({});
  const filter = React.useMemo(() => makeFilter(lake.tables), [lake]);
  const found = React.useMemo(() => filter(text), [filter, text]);
  const all = React.useMemo(
    () => lake.tables.reduce((sum, table) => sum + table.columns.length, 0),
    [lake]
  );
  if (!lake.indexed_at) {
    return (
      <div className="lv-None">
        <p>This lake is not indexed yet.</p>
        <Button accept onClick={onIndex}>
          Index it
        </Button>
      </div>
    );
  }
  const filtering = text.trim() !== '';
  const isOpen = (name: string): boolean => open[name] ?? filtering;
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
        <Button icon="refresh" label="Index new and changed tables" onClick={onIndex} />
      </div>
      <p className="lv-Found" role="status">
        {filtering &&
          `${plural(found.columns, 'column')} in ${plural(found.tables.length, 'table')}`}
      </p>
      <Tree
        label={filtering ? 'Filtered lake' : 'Lake'}
        lines={found.tables.flatMap(({ table, columns }, i) =>
          lines(table, columns, i, found.tables.length, isOpen(table.name), text)
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
  text: string
): Line[] {
  const rows = plural(table.rows, 'row');
  const head: Line = {
    key: table.name,
    level: 1,
    label: () => `${table.name}, ${rows}`,
    expanded,
    position: i + 1,
    siblings,
    content: () => (
      <>
        <Icon name={expanded ? 'down' : 'right'} />
        <Icon name="table" />
        <Name name={table.name} text={text} />
        <span className="lv-Row-note">{rows}</span>
      </>
    )
  };
  if (!expanded) {
    return [head];
  }
  const leaves = columns.map((column, j) => ({
    key: `${table.name}\n${column.name}`,
    level: 2 as const,
    label: () => spoken(column),
    position: j + 1,
    siblings: columns.length,
    // A line of code cannot hold a line break.
    code: /[\r\n]/.test(table.name + column.name) ? null : `${table.name}.${column.name}`,
    content: () => (
      <>
        <span className="lv-Type" aria-hidden="true">
          {glyph(column.type)}
        </span>
        <Name name={column.name} text={text} />
        {column.key && <Icon name="key" label="key" />}
        <span className="lv-num" title="distinct values">
          {count(column.distinct)}
        </span>
        <span className="lv-num lv-Nulls" title="nulls">
          {count(column.nulls)}
        </span>
      </>
    )
  }));
  return [head, ...leaves];
}

/** "faa, text, key, 1,458 distinct, 0 null" */
function spoken(column: LakeColumn): string {
  const key = column.key ? ', key' : '';
  const counts = `${count(column.distinct)} distinct, ${count(column.nulls)} null`;
  return `${column.name}, ${column.type}${key}, ${counts}`;
}

function Name({ name, text }: { name: string; text: string }): React.JSX.Element {
  const [before, inside, after] = match(name, text);
  return (
    <span className="lv-Row-name" title={name}>
      {before}
      {inside && <mark>{inside}</mark>}
      {after}
    </span>
  );
}
