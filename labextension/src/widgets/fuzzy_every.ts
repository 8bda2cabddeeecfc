import { count } from '../parts/numbers';
import { END, g, line, STRONG, text } from '../parts/svg';
import { drawAxis, lanes, path, scales } from './fuzzy_chart';
import type { Scales, Spot } from './fuzzy_chart';
import { shown } from './fuzzy_standing';
import type { FuzzyFacts } from './traits';

const WARNING = 18; // pixels
const FAR = 10; // rows after a left join, to each of the left, from which on it is warned of

/** The chart where all pairs are kept: how many pairs of rows each threshold makes, and where they get out of hand. */
export function drawPairCounts(facts: FuzzyFacts, width: number): { at: Scales; parts: Element[] } {
  const { thresholds, joined, kept, leftRows } = facts;
  const parts: Element[] = [];
  // The more alike values must be, the fewer rows: those that are too many come first.
  const last = kept.filter((rows, i) => rows + leftRows - joined[i] > FAR * leftRows).length - 1;
  const at = counted(facts, width, last >= 0 ? WARNING : 0);
  const { left, right, top, low } = at.lanes;
  if (last >= 0) {
    parts.push(...drawDanger(at.x(thresholds[Math.min(last + 1, thresholds.length - 1)]), at));
    const edge = shown(thresholds[last]);
    const warning = `▲ from ${edge} down: over ${FAR} times your rows`;
    parts.push(text(left, top - 7, warning, { class: 'warn' }));
  }
  for (let rows = 1; at.y(rows) >= top - 1e-6; rows *= 10) {
    parts.push(line('grid', left, at.y(rows), right, at.y(rows)));
    parts.push(text(left - 6, at.y(rows) + 4, short(rows), END));
  }
  parts.push(text(left, lanes(width).top - 9, 'pairs kept, counted', STRONG));
  const spots = thresholds.map<Spot>((each, i) => [at.x(each), at.y(kept[i])]);
  parts.push(g('path', { class: 'line', d: path(spots) }));
  parts.push(line('axis', left, low, right, low), ...drawAxis(at));
  return { at, parts };
}

/** One lane in place of two; each line of it is ten times the one below. room: for a line of text over it. */
function counted(facts: FuzzyFacts, width: number, room: number): Scales {
  const whole = lanes(width);
  const at = scales(facts, { ...whole, top: whole.top + room });
  const { top, low } = at.lanes;
  const tens = Math.max(1, Math.ceil(Math.log10(Math.max(1, ...facts.kept))));
  return { ...at, y: rows => low - ((low - top) * Math.log10(Math.max(rows, 1))) / tens };
}

const short = (rows: number): string =>
  rows < 1e6 ? count(rows) : rows < 1e9 ? `${rows / 1e6} M` : `${rows / 1e9} bn`;

let patterns = 0; // each chart has its own, as one that is hidden fills no other

function drawDanger(edge: number, at: Scales): Element[] {
  const { left, top, low } = at.lanes;
  const id = `lv-hatch-${++patterns}`;
  const lines = g('rect', { class: 'hatch', width: 1.5, height: 7 });
  const look = { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse' };
  const pattern = g('pattern', { ...look, patternTransform: 'rotate(45)' }, lines);
  const zone = { x: left, y: top, width: Math.max(edge - left, 1), height: low - top };
  return [
    g('defs', {}, pattern),
    g('rect', { ...zone, fill: `url(#${id})` }),
    line('danger', edge, top, edge, low)
  ];
}
