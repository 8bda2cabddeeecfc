import { count } from '../parts/numbers';
import type { Advice, FuzzyFacts, How } from './traits';

/** What a threshold does, in numbers and words; nothing here asks the kernel. */
export interface Standing {
  threshold: number;
  /** Expected, low, high; empty where it is not known. */
  precision: number[];
  joined: number;
  /** Pairs of rows: as many as rows joined, but where all pairs are kept. */
  kept: number;
  out: number;
  isAdvised: boolean;
  /** What was done to be here: "advised", "set by hand", "as asked", "joins nothing". */
  by: string;
  /** Rows joined more or less than at the advised threshold; null where there is none, or this is it. */
  difference: number | null;
  /** Whether it lies below what is aimed for. */
  isBelow: boolean;
  /** The whole of it, for a reader. */
  spoken: string;
  /** How it stands to the precision that is aimed for: an icon, a colour, words. */
  status: [mark: string, tone: string, words: string];
}

/** A threshold: a similarity, or a number of tokens. */
export const shown = (threshold: number): string =>
  Number.isInteger(threshold) && threshold > 1 ? String(threshold) : threshold.toFixed(2);

/** A share as so many of 100. */
export const of100 = (share: number): string => String(Math.round(100 * share));

/** Where the advice is reached, its threshold. */
export const advisedAt = ({ reached, threshold }: Advice): number | undefined =>
  reached ? threshold : undefined;

/**
 * joins: whether anything is joined at all; isMoved: whether somebody set the threshold here; every: whether all pairs
 * are kept, of which no advice says how many are right.
 */
export function standingAt(
  facts: FuzzyFacts,
  step: number,
  advice: Advice,
  how: How,
  joins: boolean,
  isMoved: boolean,
  every: boolean
): Standing {
  const threshold = facts.thresholds[step];
  const advised = advisedAt(advice);
  const isAdvised = advised !== undefined && Math.abs(advised - threshold) < 1e-6;
  const precision = facts.precision[step] ?? [];
  const joined = joins ? facts.joined[step] : 0;
  const kept = joins ? facts.kept[step] : 0;
  const out = how === 'left' ? kept + facts.leftRows - joined : kept;
  const byHand = isMoved || advice.target !== undefined;
  const by = isAdvised ? 'advised' : !joins ? 'joins nothing' : byHand ? 'set by hand' : 'as asked';
  const place = facts.thresholds.findIndex(each => Math.abs(each - (advised ?? NaN)) < 1e-6);
  const [share, low, high] = precision.map(of100);
  const sure = precision.length
    ? `About ${share} in 100 are right, between ${low} and ${high}`
    : 'How many are right is not known';
  return {
    threshold,
    precision,
    joined,
    kept,
    out,
    isAdvised,
    by,
    difference: isAdvised || place < 0 ? null : joined - facts.joined[place],
    isBelow: joins && precision.length > 0 && precision[0] < (advice.target ?? 0) - 1e-9,
    spoken: `${shown(threshold)}, ${by}. ${sure}. ${count(joined)} rows joined, ${count(out)} rows out.`,
    status:
      every && joins
        ? ['info', '', `all pairs from ${shown(threshold)} up`]
        : statusOf(threshold, advice, isAdvised, by)
  };
}

function statusOf(
  threshold: number,
  { target, reached, before, by: judged }: Advice,
  isAdvised: boolean,
  by: string
): Standing['status'] {
  if (target === undefined) {
    return ['check', '', `${by}: ${shown(threshold)}`];
  }
  if (!reached) {
    const none = by === 'joins nothing' ? ': nothing is joined' : '';
    return ['warn', 'lv-warn', `no threshold reaches ${of100(target)} in 100${none}`];
  }
  if (!isAdvised) {
    return ['info', '', 'set by hand'];
  }
  return before === undefined
    ? ['check', 'lv-ok', `${of100(target)} in 100 are right from ${shown(threshold)} up`]
    : ['check', 'lv-ok', `advised, was ${shown(before)} before your ${judged}`];
}

/** "93 more than advised" */
export function compared(difference: number): string {
  if (!difference) {
    return 'as many as advised';
  }
  const sign = difference < 0 ? '−' : '+';
  return `${sign}${count(Math.abs(difference))} row${Math.abs(difference) === 1 ? '' : 's'} against the advice`;
}
