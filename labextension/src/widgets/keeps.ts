import type { Keep } from './traits';

/** Which rows a join keeps: the word of each, and what it means. */
export const KEEPS: [Keep, string, string][] = [
  ['left', 'left', 'all your rows'],
  ['inner', 'inner', 'only rows that match'],
  ['right', 'right', 'all rows of the other table'],
  ['outer', 'full', 'all rows of both'],
  ['unmatched', 'only unmatched', 'your rows without a match']
];
