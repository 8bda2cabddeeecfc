import type { Details, Joined, Keep } from './traits';

/** What an open hit shows: what is known of it, its first joined rows, and what somebody has chosen. */
export interface Opened {
  details: Details | null;
  joined: Joined | null;
  keep: Keep;
  /** What becomes of several rows that one meets; null until somebody has chosen. */
  many: string | null;
  dropped: Set<string>;
  /** The result's name where somebody has typed one. */
  name: string | null;
  /** Whether a name that exists was confirmed. */
  replaces: boolean;
  part: 'rows' | 'without';
  /** Whether all columns of the joined rows are shown, not only those that fit. */
  isWide: boolean;
}

/** A hit that was just opened. */
export const opened = (): Opened => ({
  details: null,
  joined: null,
  keep: 'left',
  many: null,
  dropped: new Set(),
  name: null,
  replaces: false,
  part: 'rows',
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
