import { plural } from '../parts/numbers';
import { isMuted } from './overview_line';
import type { ColumnLine, HitRow } from './traits';

/** Lines under one head; the first of a frame's own order has none. */
export interface Group {
  title: string;
  note: string;
  lines: ColumnLine[];
}

/** Which lines are shown: text in a name, and how sure the best hit is; null for all. */
export interface Shown {
  filter: string;
  confidence: HitRow['confidence'] | null;
}

/** What a line is known by while it is filled. */
export const keyOf = ({ chosen }: ColumnLine): string => JSON.stringify(chosen);

const isSet = ({ chosen }: ColumnLine): boolean => chosen.length > 1;

const verb = (lines: ColumnLine[], one: string, several: string): string =>
  lines.length === 1 ? one : several;

export function isShown({ name, hit }: ColumnLine, { filter, confidence }: Shown): boolean {
  const text = [name, hit?.table, hit?.column].join(' ').toLowerCase();
  return text.includes(filter) && (confidence === null || hit?.confidence === confidence);
}

function setsOf(lines: ColumnLine[]): Group {
  const sets = lines.filter(isSet);
  return {
    title: `${plural(sets.length, 'set')} of columns ${verb(sets, 'joins', 'join')}`,
    note: 'keys of more than one column',
    lines: sets
  };
}

/** In the frame's order; below, columns that go together. */
export function inOrder(lines: ColumnLine[]): Group[] {
  const single = { title: '', note: '', lines: lines.filter(line => !isSet(line)) };
  return [single, setsOf(lines)].filter(group => group.lines.length);
}

/** What joins, alone and together, before values that are everywhere, what meets by chance and what meets nothing. */
export function byConfidence(lines: ColumnLine[]): Group[] {
  const single = lines.filter(line => !isSet(line));
  const met = single.filter(line => !isMuted(line));
  const joins = met.filter(line => !line.hit?.common);
  const common = met.filter(line => line.hit?.common);
  const chance = single.filter(line => isMuted(line) && line.hit);
  const none = single.filter(line => isMuted(line) && !line.hit);
  const columns = (some: ColumnLine[], one: string, several: string): string =>
    `${plural(some.length, 'column')} ${verb(some, one, several)}`;
  return [
    { title: columns(joins, 'joins', 'join'), note: '', lines: joins },
    setsOf(lines),
    {
      title: columns(common, 'holds common values', 'hold common values'),
      note: 'times, flags and categories meet whatever has them',
      lines: common
    },
    {
      title: columns(chance, 'meets the lake only by chance', 'meet the lake only by chance'),
      note: 'never joined unasked',
      lines: chance
    },
    {
      title: columns(none, 'has nothing to join on', 'have nothing to join on'),
      note: '',
      lines: none
    }
  ].filter(group => group.lines.length);
}
