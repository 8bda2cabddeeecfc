import { makeGroup, makeHitRow } from './explore_hit';
import type { HitRow } from './traits';

const FIRST = 40; // rows made at once: more than a screen shows
const SOME = 20; // rows made at a time, however busy the browser is

/** A hit with its elements. Its row is made once somebody asks for it: five hundred take longer than one may wait. */
export class Drawn {
  readonly group: HTMLElement;
  private _row: HTMLElement | null = null;

  /** `dress` shows on a row what was chosen meanwhile. */
  constructor(
    readonly hit: HitRow,
    readonly member: boolean,
    private readonly _dress: (row: HTMLElement) => void
  ) {
    this.group = makeGroup(hit, member);
  }

  get row(): HTMLElement {
    if (!this._row) {
      this._row = makeHitRow(this.hit);
      this._dress(this._row);
      this.group.prepend(this._row);
    }
    return this._row;
  }

  get isMade(): boolean {
    return this._row !== null;
  }

  make(): void {
    void this.row;
  }
}

/** Makes the rows that nobody sees yet while the browser has nothing else to do; those on the screen first. */
export class Later {
  private _waiting: Drawn[] = [];
  private _isAsked = false;

  /** These are shown from now on, in this order. */
  show(drawn: Drawn[]): void {
    drawn.slice(0, FIRST).forEach(each => each.make());
    this._waiting = drawn.filter(each => !each.isMade);
    this._ask();
  }

  private _ask(): void {
    if (!this._isAsked && this._waiting.length) {
      this._isAsked = true;
      whenIdle(left => this._make(left));
    }
  }

  private _make(left: () => number): void {
    this._isAsked = false;
    const seen = this._waiting.findIndex(({ group }) => group.getBoundingClientRect().bottom > 0);
    const next = [...this._waiting.splice(Math.max(seen, 0)), ...this._waiting];
    for (let made = 0; next.length && (made < SOME || left() > 2); made++) {
      next.shift()?.make();
    }
    this._waiting = next;
    this._ask();
  }
}

/** Do something soon, told how many milliseconds there are. Safari does not say when it is idle. */
function whenIdle(act: (left: () => number) => void): void {
  if ('requestIdleCallback' in window) {
    requestIdleCallback(deadline => act(() => deadline.timeRemaining()), { timeout: 100 });
  } else {
    setTimeout(() => act(() => 0), 16);
  }
}
