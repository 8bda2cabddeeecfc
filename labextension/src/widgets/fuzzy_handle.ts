import { g } from '../parts/svg';
import type { Scales } from './fuzzy_chart';
import type { Keys } from './widget';

/** Where the handle stands and what is said there. */
export interface Stand {
  threshold: number;
  rows: number;
  /** Expected precision, low, high; empty where it is not known. */
  precision: number[];
  /** The slider's aria-value*. */
  spoken: Record<string, string | number>;
}

/** The threshold as a handle on both curves. */
export class Handle {
  private readonly _line = g('line');
  private readonly _ring = g('circle', { class: 'ring', r: 11 });
  private readonly _knob = g('circle', { r: 7 });
  private readonly _dot = g('circle', { r: 3.5 });
  readonly node = g(
    'g',
    { class: 'handle', role: 'slider', tabindex: 0, 'aria-label': 'Similarity threshold' },
    this._line,
    this._ring,
    this._knob,
    this._dot
  );

  place({ threshold, rows, precision, spoken }: Stand, at: Scales): void {
    const x = at.x(threshold);
    const { top, low } = at.lanes;
    set(this._line, { x1: x, x2: x, y1: top - 4, y2: low });
    set(this._ring, { cx: x, cy: at.y(rows) });
    set(this._knob, { cx: x, cy: at.y(rows) });
    set(this._dot, { cx: x, cy: precision.length ? at.p(precision[0]) : low });
    set(this.node, spoken);
  }

  /** Follow the pointer from where it goes down in the chart. to: told of each place, in pixels of the chart. */
  drag(chart: SVGElement, to: (x: number) => void, settle: () => void): void {
    chart.addEventListener('pointerdown', event => {
      if (event.button !== 0) {
        return;
      }
      const follow = ({ clientX }: PointerEvent): void => {
        to(clientX - chart.getBoundingClientRect().left);
      };
      const end = (): void => {
        chart.removeEventListener('pointermove', follow);
        settle();
      };
      this.node.focus();
      follow(event);
      event.preventDefault();
      chart.setPointerCapture(event.pointerId);
      chart.addEventListener('pointermove', follow);
      chart.addEventListener('lostpointercapture', end, { once: true });
    });
  }
}

/** The keys of a slider. step: how far an arrow goes. */
export function handleKeys(
  step: number,
  moveBy: (amount: number) => void,
  move: (to: number) => void
): Keys {
  return {
    ArrowLeft: () => moveBy(-step),
    ArrowRight: () => moveBy(step),
    ArrowDown: () => moveBy(-step),
    ArrowUp: () => moveBy(step),
    PageUp: () => moveBy(5 * step),
    PageDown: () => moveBy(-5 * step),
    Home: () => move(0),
    End: () => move(Infinity)
  };
}

function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
}
