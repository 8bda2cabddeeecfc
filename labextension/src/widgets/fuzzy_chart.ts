import { given, type Child } from '../parts/dom';
import { count } from '../parts/numbers';
import type { FuzzyFacts, Point } from './traits';

/** Where the axes of the chart stand: pairs from top to base, precision from high to low. */
export const CHART = { left: 58, right: 786, top: 18, base: 312, high: 340, low: 450 };

type Spot = [x: number, y: number];
type Look = Record<string, string | number>;

/** An element of the chart; as `h`, in SVG. */
export function g<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Look = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  element.append(...given(children));
  return element;
}

const path = (points: Spot[]): string =>
  points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
/** What lies between two lines. */
const area = (upper: Spot[], lower: Spot[]): string =>
  `${path(upper)} ${path([...lower].reverse()).replace('M', 'L')}Z`;
const short = (n: number): string => (n >= 1e6 ? `${n / 1e6} million` : count(n));

/** Where thresholds, counts and precisions stand, and which threshold a place is. */
export interface Scales {
  from: number;
  to: number;
  tens: [number, number];
  worst: number;
  x: (threshold: number) => number;
  t: (x: number) => number;
  y: (pairs: number) => number;
  p: (share: number) => number;
}

function scales({ curve, thresholds, precision }: FuzzyFacts): Scales {
  const from = Math.min(thresholds[0], ...curve.map(point => point.threshold));
  const to = Math.max(thresholds.at(-1) ?? from, ...curve.map(point => point.threshold));
  const most = Math.max(10, ...curve.map(point => Math.max(point.high, point.out)));
  const least = Math.min(most / 10, ...curve.map(point => point.low || point.pairs || 1));
  const first = Math.floor(Math.log10(Math.max(1, least)));
  const last = Math.ceil(Math.log10(most));
  const worst = Math.min(
    0.5,
    ...precision.map(at => (at.length ? Math.floor(at[0] * 4) / 4 : 0.5))
  );
  const { left, right, top, base, high, low } = CHART;
  return {
    from,
    to,
    tens: [first, last],
    worst,
    x: t => left + ((right - left) * (t - from)) / (to - from || 1),
    t: x => from + ((to - from) * (x - left)) / (right - left),
    y: n => base - ((base - top) * (Math.log10(Math.max(n, 10 ** first)) - first)) / (last - first),
    p: share => high + ((low - high) * (1 - Math.max(share, worst))) / (1 - worst)
  };
}

/** The chart's parts that do not move with the handle; `id` is that of the hatching. */
export function drawCurve(
  facts: FuzzyFacts,
  unit: string,
  target: number | undefined,
  id: string
): { at: Scales; parts: Element[] } {
  const at = scales(facts);
  const { left, right, base, low } = CHART;
  const parts: Element[] = [g('defs', {}, drawHatch(id))];
  if (facts.curve.length) {
    parts.push(...drawPairs(facts.curve, at, id));
  }
  parts.push(line('axis', left, base, right, base));
  if (facts.precision.length) {
    parts.push(...drawPrecision(facts, target, at));
  }
  const step = at.to > 1 ? Math.ceil(at.to / 10) : 0.1;
  for (let t = Math.ceil(at.from / step - 1e-9) * step; t <= at.to + 1e-9; t += step) {
    const words = at.to > 1 ? String(Math.round(t)) : t.toFixed(1);
    parts.push(line('axis', at.x(t), low, at.x(t), low + 4));
    parts.push(text(at.x(t), low + 16, words, { 'text-anchor': 'middle' }));
  }
  const middle = { 'text-anchor': 'middle' };
  parts.push(text((left + right) / 2, low + 32, `similarity threshold (${unit})`, middle));
  return { at, parts };
}

const END = { 'text-anchor': 'end' };
const text = (x: number, y: number, words: string, more: Look = {}): Element =>
  g('text', { x, y, ...more }, words);
const line = (name: string, x1: number, y1: number, x2: number, y2: number): Element =>
  g('line', { class: name, x1, y1, x2, y2 });

function drawHatch(id: string): Element {
  const turned = { patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' };
  return g('pattern', { id, width: 8, height: 8, ...turned }, line('hatch', 0, 0, 0, 8));
}

/** The curve of pairs and that of rows out, where rows explode, and how sure an estimate is. */
function drawPairs(curve: Point[], at: Scales, hatch: string): Element[] {
  const { left, right, top, base } = CHART;
  const parts: Element[] = [];
  for (let ten = at.tens[0]; ten <= at.tens[1]; ten++) {
    const y = at.y(10 ** ten);
    parts.push(line('grid', left, y, right, y), text(left - 6, y + 4, short(10 ** ten), END));
  }
  const last = curve.filter(point => point.explodes).at(-1);
  if (last) {
    const x = at.x(last.threshold);
    const zone = { x: left, y: top, width: Math.max(x - left, 1), height: base - top };
    parts.push(
      g('rect', { ...zone, fill: `url(#${hatch})` }),
      line('zoneedge', x, top, x, base),
      text(left + 8, top + 14, '▲ row explosion', { class: 'warn' }),
      text(left + 8, top + 28, 'over 10 × the rows if all pairs are kept')
    );
  }
  const doubtful = curve.filter((point, i) => !point.exact || !(curve[i - 1]?.exact ?? true));
  if (doubtful.length) {
    const edge = (key: 'low' | 'high'): Spot[] =>
      doubtful.map(point => [at.x(point.threshold), at.y(point[key])]);
    const [x, y] = edge('low')[0];
    parts.push(
      g('path', { class: 'band', d: area(edge('high'), edge('low')) }),
      text(x + 6, y + 16, '≈ estimated, 95 % band')
    );
  }
  const points = curve.map<Spot>(point => [at.x(point.threshold), at.y(point.pairs)]);
  const known = curve.findIndex(point => point.exact);
  if (known !== 0) {
    const estimated = known < 0 ? points : points.slice(0, known + 1);
    parts.push(g('path', { class: 'line est', d: path(estimated) }));
  }
  const [, end] = points[points.length - 1];
  if (known >= 0) {
    parts.push(
      g('path', { class: 'line', d: path(points.slice(known)) }),
      text(right, end + (end > base - 24 ? -8 : 16), 'pairs, counted', END)
    );
  }
  const rows = curve.map<Spot>(point => [at.x(point.threshold), at.y(point.out)]);
  parts.push(
    g('path', { class: 'rows', d: path(rows) }),
    text(right, rows[rows.length - 1][1] - 8, 'rows out of a left join, all pairs kept', END)
  );
  return parts;
}

/** The expected precision with its interval, and the one that is aimed for. */
function drawPrecision(
  { thresholds, precision }: FuzzyFacts,
  target: number | undefined,
  at: Scales
): Element[] {
  const { left, right, low } = CHART;
  const parts: Element[] = [];
  for (const share of [1, (1 + at.worst) / 2, at.worst]) {
    const y = at.p(share);
    parts.push(line('grid', left, y, right, y), text(left - 6, y + 4, share.toFixed(2), END));
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
    const words = `your target ${target.toFixed(2)}`;
    parts.push(line('target', left, y, right, y));
    parts.push(text(right, y + 14, words, { class: 'oktext', ...END }));
  }
  parts.push(text(left + 8, low - 6, '≈ expected precision of the best match, without labels'));
  return parts;
}

/**
 * The pairs at a threshold, between two points of the curve as its logarithm goes; `about` where they are not counted
 * there. null where the curve does not reach.
 */
export function pairsAt(
  curve: Point[],
  threshold: number
): { pairs: number; about: boolean } | null {
  const next = curve.findIndex(point => point.threshold >= threshold - 1e-9);
  if (next < 0) {
    return null;
  }
  const after = curve[next];
  if (Math.abs(after.threshold - threshold) < 1e-9 || next === 0) {
    return { pairs: after.pairs, about: !after.exact };
  }
  const before = curve[next - 1];
  const part = (threshold - before.threshold) / (after.threshold - before.threshold);
  const log = Math.log(before.pairs + 1) * (1 - part) + Math.log(after.pairs + 1) * part;
  return { pairs: Math.round(Math.exp(log) - 1), about: before.pairs !== after.pairs };
}
