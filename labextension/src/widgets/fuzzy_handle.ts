import { CHART, g, type Scales } from './fuzzy_chart';

/** Where the handle stands and what is said there. */
export interface Stand {
  /** On the axes of the chart; `y` on the curve, or halfway where there is none. */
  x: number;
  y: number;
  /** Expected precision, low, high; empty where it is not known. */
  precision: number[];
  lines: string[];
  /** The slider's aria-value*. */
  spoken: Record<string, string | number>;
}

/** The threshold as a handle on the curve, with a box of words beside it. */
export class Handle {
  private readonly _line = g('line', { y1: CHART.top - 4, y2: CHART.low });
  private readonly _ring = g('circle', { class: 'ring', r: 11 });
  private readonly _knob = g('circle', { r: 7 });
  private readonly _whisker = g('path', { class: 'wh' });
  private readonly _dot = g('circle', { r: 3.5 });
  private readonly _words = [19, 36, 52].map(y => g('text', { x: 10, y }));
  readonly node = g(
    'g',
    { class: 'handle', role: 'slider', tabindex: 0, 'aria-label': 'Similarity threshold' },
    this._line,
    this._ring,
    this._knob,
    this._whisker,
    this._dot
  );
  readonly box = g(
    'g',
    { class: 'box' },
    g('rect', { class: 'callout', width: 250, height: 62, rx: 2 }),
    ...this._words
  );

  place({ x, y, precision, lines, spoken }: Stand, at: Scales): void {
    const [expected, low, high] = precision;
    set(this._line, { x1: x, x2: x });
    set(this._ring, { cx: x, cy: y });
    set(this._knob, { cx: x, cy: y });
    set(this._dot, { cx: x, cy: precision.length ? at.p(expected) : CHART.low });
    const whisker = `M${x - 5} ${at.p(low)}h10M${x - 5} ${at.p(high)}h10`;
    set(this._whisker, { d: precision.length ? whisker : '' });
    const side = x + 272 > CHART.right ? x - 262 : x + 12;
    set(this.box, { transform: `translate(${side} 22)` });
    this._words.forEach((element, i) => {
      element.textContent = lines[i];
    });
    set(this.node, spoken);
  }
}

function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
}
