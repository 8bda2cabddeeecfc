import { h } from '../parts/dom';
import { END, g, line, MIDDLE, text } from '../parts/svg';
import type { Told } from './traits';

/** How a picture shows means: from zero on as bars, or, where they differ by little of what they are, as points. */
interface Scale {
  isBars: boolean;
  low: number;
  high: number;
}

/** Bars lie from zero on; means that differ by less than a third of the largest would look alike so. */
function scaleOf({ means, mean }: Told): Scale {
  const all = [...means, mean];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const largest = Math.max(Math.abs(least), Math.abs(most));
  if (most - least >= largest / 3) {
    return { isBars: true, low: Math.min(0, least), high: Math.max(0, most) };
  }
  const edge = (most - least) / 4;
  return { isBars: false, low: least - edge, high: most + edge };
}

/** Where the parts stand, and how high a mean is, in a field from (x, y) on. */
function fieldOf(told: Told, x: number, y: number, width: number, height: number) {
  const { isBars, low, high } = scaleOf(told);
  const step = width / told.means.length;
  const gap = Math.min(6, step / 6);
  const at = (value: number): number => y + (height * (high - value)) / (high - low || 1);
  const middle = (i: number): number => x + (i + 0.5) * step;
  const marks = told.means.map((value, i) => {
    if (!isBars) {
      return g('circle', {
        class: 'lv-Mean',
        cx: middle(i),
        cy: at(value),
        r: height > 30 ? 4 : 2
      });
    }
    const [top, bottom] = [at(Math.max(value, 0)), at(Math.min(value, 0))];
    const size = { width: step - gap, height: Math.max(bottom - top, 0.5) };
    return g('rect', { class: 'lv-Mean', x: middle(i) - (step - gap) / 2, y: top, ...size });
  });
  return { marks, at, middle, step, low, high };
}

/** `mean delay`, or `share of status = late`. */
const meanOf = ({ of: what, all }: Told): string =>
  `${all.endsWith('%') ? 'share of' : 'mean'} ${what}`;
const titleOf = (told: Told, column: string): string => `${meanOf(told)} by ${column}`;

/** A small picture of the means of a column's parts; the dashed line is the mean of all rows. */
export function drawSmall(told: Told, column: string): HTMLElement {
  const [width, height] = [74, 20];
  const { marks, at } = fieldOf(told, 0, 1, width, height - 2);
  const look = { class: 'lv-Spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' };
  const svg = g('svg', look, ...marks, line('lv-MeanLine', 0, at(told.mean), width, at(told.mean)));
  const said = `${titleOf(told, column)}: ${told.span}`;
  return h('span', { role: 'img', 'aria-label': said }, svg);
}

/** The same, large: the values of the parts below, their means above. */
export function drawLarge(told: Told, column: string): SVGElement {
  const [width, top, height] = [330, 32, 96];
  const left = 8 + 6 * Math.max(...told.said.map(each => each.length), told.all.length);
  const { marks, at, middle, step, low, high } = fieldOf(told, left, top, width - left, height);
  const base = top + height;
  const ticks = [low, high].filter(each => each !== 0);
  const room = Math.floor(step / 5.6);
  const cut = (said: string): string => (said.length > room ? `${said.slice(0, room - 1)}…` : said);
  const parts = [
    text(left, 11, meanOf(told)),
    ...(low <= 0 && high >= 0 ? [line('lv-Zero', left, at(0), width, at(0))] : []),
    ...(low <= 0 && high >= 0 ? [text(left - 5, at(0) + 4, '0', END)] : []),
    ...(ticks.length < 2 ? [] : [line('lv-Zero', left, base, width, base)]),
    ...marks,
    line('lv-MeanLine', left, at(told.mean), width, at(told.mean)),
    ...told.said.map((said, i) => {
      const y = at(told.means[i]) + (told.means[i] < 0 && low < 0 ? 13 : -4);
      return text(middle(i), y, said, { ...MIDDLE, class: 'lv-strong' });
    }),
    ...told.parts.map((said, i) => {
      const label = text(middle(i), base + 14, cut(said), MIDDLE);
      label.append(g('title', {}, `${said}: ${told.rows[i]} rows`));
      return label;
    }),
    text(width, base + 32, `${column} in ${told.parts.length} parts; dashed: all, ${told.all}`, END)
  ];
  const said = told.parts.map((part, i) => `${part}: ${told.said[i]}`).join(', ');
  const label = `${titleOf(told, column)}: ${said}; all ${told.all}`;
  const size = { viewBox: `0 0 ${width} ${base + 38}`, width, height: base + 38 };
  return g('svg', { class: 'lv-Pic', role: 'img', 'aria-label': label, ...size }, ...parts);
}
