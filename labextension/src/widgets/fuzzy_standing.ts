import { count } from '../parts/numbers';
import { pairsAt } from './fuzzy_chart';
import type { Advice, FuzzyFacts, How } from './traits';

/** What a threshold does, in numbers and words; nothing here asks the kernel. */
export interface Standing {
  threshold: number;
  /** On the curve; null where it does not reach. */
  pairs: number | null;
  /** Expected, low, high; empty where it is not known. */
  precision: number[];
  joined: number;
  used: number;
  out: number;
  isAdvised: boolean;
  /** Beside the handle. */
  lines: string[];
  /** The whole of it, for a reader. */
  spoken: string;
  /** How it stands to the precision that is aimed for: an icon, a colour, words. */
  status: [mark: string, tone: string, words: string];
}

/** A threshold: a similarity, or a number of tokens. */
export const shown = (threshold: number): string =>
  Number.isInteger(threshold) && threshold > 1 ? String(threshold) : threshold.toFixed(2);

/** `joins`: whether anything is joined at all. */
export function standingAt(
  facts: FuzzyFacts,
  step: number,
  advice: Advice,
  how: How,
  joins: boolean
): Standing {
  const threshold = facts.thresholds[step];
  const { reached, threshold: advised = NaN } = advice;
  const isAdvised = Boolean(reached) && Math.abs(advised - threshold) < 1e-6;
  const precision = facts.precision[step] ?? [];
  const [share, low, high] = precision.map(each => each.toFixed(2));
  const pairs = pairsAt(facts.curve, threshold);
  const joined = joins ? facts.joined[step] : 0;
  const out = how === 'left' ? facts.leftRows : joined;
  const by = isAdvised ? 'advised' : joins ? 'set by hand' : 'the best there is';
  const title = `${shown(threshold)}, ${by}`;
  const met = pairs ? `${pairs.about ? '≈ ' : ''}${count(pairs.pairs)} pairs; ` : '';
  const sure = precision.length
    ? `Precision about ${share}, between ${low} and ${high}`
    : 'Precision unknown';
  return {
    threshold,
    pairs: pairs?.pairs ?? null,
    precision,
    joined,
    used: joins ? facts.used[step] : 0,
    out,
    isAdvised,
    lines: [
      title,
      precision.length ? `precision ≈ ${share} (${low}–${high})` : 'precision unknown',
      `${met}${count(joined)} best matches kept`
    ],
    spoken: `${title}. ${sure}. ${count(joined)} rows matched, ${count(out)} rows out.`,
    status: statusOf(threshold, advice, isAdvised, joins)
  };
}

function statusOf(
  threshold: number,
  { target, reached, threshold: advised = NaN }: Advice,
  isAdvised: boolean,
  joins: boolean
): Standing['status'] {
  if (target === undefined) {
    return ['check', '', 'set by hand'];
  }
  const aim = target.toFixed(2);
  if (!reached) {
    const none = joins ? '' : ': nothing is joined';
    return ['warn', 'lv-warn', `no threshold reaches ${aim}${none}`];
  }
  return isAdvised
    ? ['check', 'lv-ok', `target ${aim} reached at ${shown(threshold)}`]
    : ['info', '', `set by hand; advised: ${shown(advised)}`];
}
