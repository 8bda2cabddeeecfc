import type { Details, Get, Joined, Keep } from './traits';

/** What an open hit shows: what is known of it, its first joined rows, and what somebody has chosen. */
export interface Opened {
  details: Details | null;
  joined: Joined | null;
  keep: Keep;
  /** What becomes of several rows that one meets; null until somebody has chosen. */
  many: string | null;
  /** Columns that are left out; null until somebody has chosen (`droppedOf`). */
  dropped: Set<string> | null;
  /** The result's name where somebody has typed one. */
  name: string | null;
  /** Whether a name that exists was confirmed. */
  replaces: boolean;
  /** What the middle shows; null until somebody has chosen. */
  part: 'rows' | 'without' | 'picture' | null;
  /** The column whose picture was asked for. */
  picture: string | null;
  /** Whether columns that tell little of the target are listed. */
  seesAll: boolean;
  /** Whether all columns of the joined rows are shown, not only those that fit. */
  isWide: boolean;
}

/** A hit that was just opened. */
export const opened = (): Opened => ({
  details: null,
  joined: null,
  keep: 'left',
  many: null,
  dropped: null,
  name: null,
  replaces: false,
  part: null,
  picture: null,
  seesAll: false,
  isWide: false
});

/** What the parts of an open hit do. */
export interface HitActs {
  change: (what: Partial<Opened>) => void;
  /** The same where nothing is to be drawn. */
  keep: (what: Partial<Opened>) => void;
  preview: () => void;
  join: () => void;
  copy: () => void;
}

/** Whether how to join is not decided: rows would multiply, and nobody has said that they may. */
export function waits({ details, keep, many }: Opened): boolean {
  return Boolean(details?.multiplies) && ['left', 'inner'].includes(keep) && many === null;
}

/** The columns that tell of the target, those first that tell the most. */
export function telling(joined: Joined | null): Get[] {
  return (joined?.gets ?? [])
    .filter(({ told }) => told && !told.why)
    .sort((a, b) => b.told!.share - a.told!.share);
}

/** The columns that are left out: with a target, until somebody chooses, those that tell little of it. */
export function droppedOf({ dropped, joined }: Opened): Set<string> {
  const tells = telling(joined);
  const others = tells.length ? joined!.gets.filter(get => !tells.includes(get)) : [];
  return dropped ?? new Set(others.map(({ name }) => name));
}

/** The column whose picture stands in the middle: the one that tells the most, until somebody chooses. */
export function pictured({ joined, part, picture }: Opened): Get | undefined {
  const tells = telling(joined);
  const shown = tells.find(({ name }) => name === picture) ?? tells[0];
  return part === null || part === 'picture' ? shown : undefined;
}

/** What the middle shows. */
export const middleOf = (open: Opened): NonNullable<Opened['part']> =>
  pictured(open) ? 'picture' : open.part === 'without' ? 'without' : 'rows';
