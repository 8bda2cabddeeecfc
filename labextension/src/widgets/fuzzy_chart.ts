import { count } from '../parts/numbers';
import { END, g, line, MIDDLE, STRONG, text } from '../parts/svg';
import type { FuzzyFacts } from './traits';

/** Where the lanes stand: rows joined from top to base, precision from high to low; all in pixels of the page. */
export interface Lanes {
  left: number;
  right: number;
  top: number;
  base: number;
  high: number;
  low: number;
  width: number;
  height: number;
}

/** The lanes of a chart that is so wide: its text is as large at any width. */
export function lanes(width: number): Lanes {
  const [left, margin] = [52, 58];
  return {
    left,
    right: width - margin,
    top: 24,
    base: 108,
    high: 142,
    low: 206,
    width,
    height: 246
  };
}

export type Spot = [x: number, y: number];
export const path = (points: Spot[]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
/** What lies between two lines. */
const area = (upper: Spot[], lower: Spot[]): string =>
  `${path(upper)} ${path([...lower].reverse()).replace('M', 'L')}Z`;

/** Where thresholds, rows and precisions stand, and which threshold a place is. */
export interface Scales {
  lanes: Lanes;
  from: number;
  to: number;
  most: number;
  worst: number;
  x: (threshold: number) => number;
  t: (x: number) => number;
  y: (rows: number) => number;
  p: (share: number) => number;
}

export function scales({ thresholds, joined, precision, leftRows }: FuzzyFacts, at: Lanes): Scales {
  const from = thresholds[0];
  const to = Math.max(thresholds.at(-1) ?? from, from + 1e-9);
  const most = Math.max(1, leftRows, ...joined);
  const worst = Math.min(
    0.8,
    ...precision.map(each => (each.length ? Math.floor(each[1] * 10) / 10 : 0.8))
  );
  const { left, right, top, base, high, low } = at;
  return {
    lanes: at,
    from,
    to,
    most,
    worst,
    x: threshold => left + ((right - left) * (threshold - from)) / (to - from),
    t: x => from + ((to - from) * (x - left)) / (right - left),
    y: rows => base - ((base - top) * rows) / most,
    p: share => high + ((low - high) * (1 - Math.max(share, worst))) / (1 - worst)
  };
}

/** The chart's parts that do not move with the handle. advised: where the advice stands, if there is one. */
export function drawCurve(
  facts: FuzzyFacts,
  target: number | undefined,
  advised: number | undefined,
  width: number
): { at: Scales; parts: Element[] } {
  const at = scales(facts, lanes(width));
  const { left, right, top, base, high, low } = at.lanes;
  const parts: Element[] = [];
  // Titles stand over their lanes, what is said of a line beside it: nothing lies on a curve.
  for (const rows of ticks(at.most)) {
    parts.push(line('grid', left, at.y(rows), right, at.y(rows)));
    parts.push(text(left - 6, at.y(rows) + 4, count(rows), END));
  }
  const title = `rows joined, of ${count(facts.leftRows)}`;
  parts.push(text(left, top - 9, title, STRONG));
  const spots = facts.thresholds.map<Spot>((each, i) => [at.x(each), at.y(facts.joined[i])]);
  const ground = spots.map<Spot>(([x]) => [x, base]);
  parts.push(
    g('path', { class: 'area', d: area(spots, ground) }),
    g('path', { class: 'line', d: path(spots) })
  );
  if (facts.precision.some(each => each.length)) {
    parts.push(text(left, high - 9, 'right, of 100 joined', STRONG));
    parts.push(...drawPrecision(facts, target, at));
  }
  if (advised !== undefined) {
    parts.push(line('advice', at.x(advised), top, at.x(advised), low));
    const free = left + 7 * title.length + 10; // beyond the title
    const isLate = at.x(advised) > Math.max((left + right) / 2, free + 85);
    const beside = isLate ? at.x(advised) - 5 : Math.max(at.x(advised) + 5, free);
    const look = { class: 'oktext', ...(isLate ? END : {}) };
    parts.push(text(beside, top - 9, `advice ${words(advised, at)}`, look));
  }
  parts.push(...drawAxis(at));
  return { at, parts };
}

const words = (threshold: number, at: Scales): string =>
  at.to > 1 ? String(threshold) : threshold.toFixed(2);

/** 0, the whole, and a round number between them. */
function ticks(most: number): number[] {
  const ten = 10 ** Math.floor(Math.log10(most));
  const middle = [5, 2, 1, 0.5].map(each => each * ten).find(each => each <= 0.7 * most);
  return middle && middle >= 1 ? [0, middle, most] : [0, most];
}

export function drawAxis(at: Scales): Element[] {
  const { left, right, low } = at.lanes;
  const parts: Element[] = [];
  const span = at.to - at.from;
  const step = at.to > 1 ? Math.ceil(span / 10) : span > 0.3 ? 0.1 : 0.05;
  for (let t = Math.ceil(at.from / step - 1e-9) * step; t <= at.to + 1e-9; t += step) {
    const said = at.to > 1 ? String(Math.round(t)) : t.toFixed(step < 0.1 ? 2 : 1);
    parts.push(line('axis', at.x(t), low, at.x(t), low + 4));
    parts.push(text(at.x(t), low + 17, said, MIDDLE));
  }
  parts.push(text(left, low + 34, 'less alike'));
  parts.push(text((left + right) / 2, low + 34, 'how alike two values must be', MIDDLE));
  parts.push(text(right, low + 34, 'the same', END));
  return parts;
}

/** The expected precision with its interval, and the one that is aimed for. */
function drawPrecision(
  { thresholds, precision }: FuzzyFacts,
  target: number | undefined,
  at: Scales
): Element[] {
  const { left, right } = at.lanes;
  const parts: Element[] = [];
  for (const share of [1, (1 + at.worst) / 2, at.worst]) {
    const y = at.p(share);
    parts.push(line('grid', left, y, right, y));
    parts.push(text(left - 6, y + 4, String(Math.round(100 * share)), END));
  }
  const known = [...precision.keys()].filter(i => precision[i].length);
  const edge = (which: number): Spot[] =>
    known.map(i => [at.x(thresholds[i]), at.p(precision[i][which])]);
  parts.push(
    g('path', { class: 'band', d: area(edge(2), edge(1)) }),
    g('path', { class: 'line', d: path(edge(0)) })
  );
  if (target) {
    const y = at.p(target);
    parts.push(line('target', left, y, right, y));
    const said = `aim ${Math.round(100 * target)}`;
    parts.push(text(right + 6, y + 4, said, { class: 'oktext' }));
  }
  return parts;
}
