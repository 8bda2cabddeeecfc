import * as React from 'react';

import { buttonLook } from '../parts/looks';
import { glyph } from '../parts/types';
import type { Code } from './code';
import { Icon } from './parts';

/** One visible line of a tree: tables and their columns in one flat list. */
export interface Line {
  key: string;
  level: 1 | 2 | 3;
  /** Made when the line is drawn, as `content` is: there may be thousands that never are. */
  label: () => string;
  /** Undefined for a leaf. */
  expanded?: boolean;
  position: number;
  siblings: number;
  /** What `%lakeview search` takes for it; null where there is nothing to search for. */
  code?: Code | null;
  /** The same of a line that opens: only its button searches. */
  whole?: Code;
  /** The table of the lake that the line is of, or the variable of a frame: its menu's. */
  table?: string;
  frame?: Code;
  content: () => React.ReactNode;
}

interface Head {
  key: string;
  level?: 1 | 2;
  icon?: string;
  table?: string;
  frame?: Code;
  whole?: Code;
  label: () => string;
  expanded: boolean;
  position: number;
  siblings: number;
  name: React.ReactNode;
  note: string;
  /** Shown when the pointer rests on the note. */
  title?: string;
}

/** The line of a folder, a frame or a table, which opens and closes what is in it. */
export function head({ name, note, title, icon = 'table', ...line }: Head): Line {
  return {
    level: 1,
    ...line,
    content: () => (
      <>
        <Icon name={line.expanded ? 'down' : 'right'} />
        <Icon name={icon} />
        {name}
        <span className="lv-Row-note" title={title}>
          {note}
        </span>
      </>
    )
  };
}

export function Type({ type }: { type: string }): React.JSX.Element {
  return (
    <span className="lv-Type" aria-hidden="true">
      {glyph(type)}
    </span>
  );
}

interface FindProps {
  code: Code | null | undefined;
  onFind: (code: Code) => void;
}

function Find({ code, onFind }: FindProps): React.JSX.Element | null {
  if (!code) {
    return null;
  }
  const find = (event: React.MouseEvent): void => {
    event.stopPropagation(); // the line stays as it is
    onFind(code);
  };
  return (
    <button type="button" className={`${buttonLook()} lv-Find`} tabIndex={-1} onClick={find}>
      <Icon name="search" />
      Find joins
    </button>
  );
}

interface Props {
  label: string;
  lines: Line[];
  onToggle: (key: string, expanded: boolean) => void;
  onFind: (code: Code) => void;
}

/** What is searched for at a row in the page: no text of the page becomes code. */
export const codeOf = new WeakMap<Element, Code>();

/** The table that a row is of, and the variable of a frame's, likewise. */
export const tableOf = new WeakMap<Element, string>();
export const frameOf = new WeakMap<Element, Code>();

function remember(row: Element, line: Line): void {
  if (line.code) {
    codeOf.set(row, line.code);
  }
  if (line.table !== undefined) {
    tableOf.set(row, line.table);
  }
  if (line.frame) {
    frameOf.set(row, line.frame);
  }
}

const ROW = 24; // pixels, as in panel.css
const SPARE = 20; // rows drawn above and below what is seen
const ALL = 150; // up to here all rows are drawn

/** A tree with Lab's keys. However long it is, only the rows near the visible part are in the page. */
export function Tree({ label, lines, onToggle, onFind }: Props): React.JSX.Element {
  const root = React.useRef<HTMLDivElement>(null);
  const [active, setActive] = React.useState('');
  const [[first, last], setRange] = React.useState([0, ALL]);
  const focusNext = React.useRef(false);

  const measure = React.useCallback(() => {
    const body = root.current?.closest<HTMLElement>('.lv-Panel-body');
    if (!body || !root.current) {
      return;
    }
    const top = body.getBoundingClientRect().top - root.current.getBoundingClientRect().top;
    const start = Math.max(0, Math.floor(top / ROW) - SPARE);
    // In steps, so that a small scroll draws nothing.
    const from = start - (start % 10);
    setRange([from, from + Math.ceil(body.clientHeight / ROW) + 2 * SPARE + 10]);
  }, []);

  const long = lines.length > ALL;
  React.useLayoutEffect(() => {
    const body = root.current?.closest('.lv-Panel-body');
    if (!long || !body) {
      return;
    }
    measure();
    body.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(body);
    return () => {
      body.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, [long, measure, lines]);

  const place = Math.max(
    0,
    lines.findIndex(line => line.key === active)
  );
  const go = (to: number): void => {
    const next = lines[Math.min(Math.max(to, 0), lines.length - 1)];
    focusNext.current = true;
    setActive(next.key);
    const body = root.current?.closest<HTMLElement>('.lv-Panel-body');
    if (long && body && root.current) {
      const top = root.current.offsetTop + lines.indexOf(next) * ROW;
      if (top < body.scrollTop || top + ROW > body.scrollTop + body.clientHeight) {
        body.scrollTop = top - body.clientHeight / 2;
        measure();
      }
    }
  };

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const line = lines[place];
    if (!line || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const parent = (): number => {
      let up = place;
      while (up > 0 && lines[up].level >= line.level) {
        up--;
      }
      return up;
    };
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(place + 1),
      ArrowUp: () => go(place - 1),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      ArrowRight: () => (line.expanded === false ? onToggle(line.key, true) : go(place + 1)),
      ArrowLeft: () => (line.expanded ? onToggle(line.key, false) : go(parent())),
      Enter: () => (line.code ? onFind(line.code) : onToggle(line.key, !line.expanded))
    };
    if (event.key in moves) {
      moves[event.key]();
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const from = long ? Math.min(first, lines.length) : 0;
  const to = long ? Math.min(last, lines.length) : lines.length;
  // The row that Tab comes to is always one that is drawn.
  const tabbed = place >= from && place < to ? place : from;
  React.useEffect(() => {
    // After a jump the row is there only when what is seen has been drawn.
    if (focusNext.current && tabbed === place) {
      focusNext.current = false;
      root.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    }
  });
  return (
    <div
      ref={root}
      className="lv-Tree"
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      style={
        long ? { paddingTop: from * ROW, paddingBottom: (lines.length - to) * ROW } : undefined
      }
    >
      {lines.slice(from, to).map((line, i) => (
        <div
          key={line.key}
          role="treeitem"
          className={`lv-Row lv-mod-level${line.level}`}
          aria-level={line.level}
          aria-label={line.label()}
          aria-expanded={line.expanded}
          aria-setsize={line.siblings}
          aria-posinset={line.position}
          ref={row => void (row && remember(row, line))}
          data-lakeview={line.code ? '' : undefined}
          data-table={line.table === undefined ? undefined : ''}
          data-frame={line.frame ? '' : undefined}
          tabIndex={from + i === tabbed ? 0 : -1}
          onFocus={() => setActive(line.key)}
          onClick={() => line.expanded !== undefined && onToggle(line.key, !line.expanded)}
        >
          {line.content()}
          <Find code={line.code ?? line.whole} onFind={onFind} />
        </div>
      ))}
    </div>
  );
}
