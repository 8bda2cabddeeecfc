import * as React from 'react';

import type { Frame } from '../messages';
import { plural } from '../parts/numbers';
import { Code } from './code';
import { head, Tree, Type, type Line } from './tree';

interface Props {
  frames: Frame[];
  onFind: (code: Code) => void;
}

/** The kernel's DataFrames and their columns: names and types alone. */
export function Frames({ frames, onFind }: Props): React.JSX.Element {
  const [open, setOpen] = React.useState<Record<string, boolean>>({});
  if (!frames.length) {
    return <p className="lv-None">No DataFrame yet: those that your cells make appear here.</p>;
  }
  const isOpen = (name: string): boolean => open[name] ?? frames.length === 1;
  return (
    <Tree
      label="DataFrames"
      lines={frames.flatMap((frame, i) => lines(frame, i, frames.length, isOpen(frame.name)))}
      onToggle={(name, expanded) => setOpen(before => ({ ...before, [name]: expanded }))}
      onFind={onFind}
    />
  );
}

function lines(frame: Frame, i: number, siblings: number, expanded: boolean): Line[] {
  const columns = plural(frame.columns.length, 'column');
  const first = head({
    key: frame.name,
    label: () => `${frame.name}, ${frame.library}, ${frame.note ?? columns}`,
    expanded,
    position: i + 1,
    siblings,
    name: (
      <span className="lv-Row-name">
        <b>{frame.name}</b>
      </span>
    ),
    note: `${frame.library} · ${frame.note ? 'not readable' : columns}`,
    title: frame.note ?? undefined
  });
  if (!expanded) {
    return [first];
  }
  const leaves = frame.columns.map((column, j) => ({
    key: `${frame.name}\n${j}`,
    level: 2 as const,
    label: () => `${column.name}, ${column.type}`,
    position: j + 1,
    siblings: frame.columns.length,
    code: Code.ofKernel(column.code),
    content: () => (
      <>
        <Type type={column.type} />
        <span className="lv-Row-name">{column.name}</span>
        <span className="lv-Row-note">{column.type}</span>
      </>
    )
  }));
  return [first, ...leaves];
}
