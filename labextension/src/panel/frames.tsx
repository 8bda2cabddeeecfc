import * as React from 'react';

import type { Frame, Joined } from '../messages';
import { count, plural } from '../parts/numbers';
import { Code } from './code';
import { Icon } from './parts';
import { head, Tree, Type, type Line } from './tree';

interface Props {
  frames: Frame[];
  /** The likeliest join of each column, by frame, where that is known. */
  joins: Record<string, (Joined | null)[]>;
  /** A frame is open. */
  onOpen: (frame: Frame) => void;
  onFind: (code: Code) => void;
}

/** The kernel's DataFrames and their columns; a dot at those that join with the lake. */
export function Frames({ frames, joins, onOpen, onFind }: Props): React.JSX.Element {
  const [open, setOpen] = React.useState<Record<string, boolean>>({});
  const isOpen = (name: string): boolean => open[name] ?? frames.length === 1;
  React.useEffect(() => frames.filter(frame => isOpen(frame.name)).forEach(onOpen));
  if (!frames.length) {
    return <p className="lv-None">No DataFrame yet: those that your cells make appear here.</p>;
  }
  return (
    <Tree
      label="DataFrames"
      lines={frames.flatMap((frame, i) =>
        lines(frame, i, frames.length, isOpen(frame.name), joins[frame.name] ?? [])
      )}
      onToggle={(name, expanded) => setOpen(before => ({ ...before, [name]: expanded }))}
      onFind={onFind}
    />
  );
}

function lines(
  frame: Frame,
  i: number,
  siblings: number,
  expanded: boolean,
  joins: (Joined | null)[]
): Line[] {
  const columns = plural(frame.columns.length, 'column');
  const size =
    frame.rows === null
      ? `${frame.library} · ${columns}`
      : `${count(frame.rows)} × ${count(frame.columns.length)}`;
  const spoken = frame.rows === null ? columns : `${plural(frame.rows, 'row')}, ${columns}`;
  const code = Code.ofKernel(frame.code) ?? undefined;
  const first = head({
    key: frame.name,
    label: () => `${frame.name}, ${frame.library}, ${frame.note ?? spoken}`,
    expanded,
    position: i + 1,
    siblings,
    frame: code,
    whole: frame.note ? undefined : code,
    name: (
      <span className="lv-Row-name">
        <b>{frame.name}</b>
      </span>
    ),
    note: frame.note ? `${frame.library} · not readable` : size,
    title: frame.note ?? frame.library
  });
  if (!expanded) {
    return [first];
  }
  const leaves = frame.columns.map((column, j) => ({
    key: `${frame.name}\n${j}`,
    level: 2 as const,
    label: () => `${column.name}, ${column.type}${joins[j] ? `, joins ${joins[j].name}` : ''}`,
    position: j + 1,
    siblings: frame.columns.length,
    code: Code.ofKernel(column.code),
    content: () => (
      <>
        <span className="lv-Row-joins">
          {joins[j] && <Icon name={joins[j].confidence === 'sure' ? 'full' : 'half'} />}
        </span>
        <Type type={column.type} />
        <span className="lv-Row-name">{column.name}</span>
        {joins[j] ? (
          <span
            className="lv-Row-to"
            title={`${joins[j].confidence}: joins ${joins[j].name}, by what the index holds`}
          >
            {joins[j].to}
          </span>
        ) : (
          <span className="lv-Row-note">{column.type}</span>
        )}
      </>
    )
  }));
  return [first, ...leaves];
}
