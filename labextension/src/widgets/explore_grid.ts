import { h } from '../parts/dom';
import { COLUMNS, type SortKey } from './hit_row';
import { drawDetail } from './explore_detail';
import { droppedOf, opened, waits, type Opened } from './explore_open';
import { drawFold, drawHeads } from './explore_heads';
import { Drawn, Later } from './explore_drawn';
import { showState } from './explore_hit';
import { StepsHead } from './explore_steps';
import { keepFocus } from './explore_tools';
import type { ExploreAct, ExploreTraits, HitRow } from './traits';
import type { Model } from './widget';

/** 0 in the ranking; 1 a time, flag or category, 2 a chance match: these are lines that open. */
const below = (hit: HitRow): number => (!hit.below ? 0 : hit.common ? 1 : 2);

/** The hits of an answer: sorted, filtered, open, marked, and the one that the keyboard is at. */
export class Grid {
  filter = '';
  kind: HitRow['kind'] | null = null;
  onlyMarked = false;
  /** Places of hits that stay while somebody is among them; null where the order is as sorted. */
  held: Map<string, number> | null = null;
  // What is open and marked is known by the hits' ids, so that it stays while an answer gets exact.
  readonly marked = new Set<string>();
  readonly open = new Map<string, Opened>();
  /** Families that are shown, and lines below the ranking that are open. */
  readonly families = new Map<string, HitRow[]>();
  private readonly _lines = new Map<number, boolean>();
  private _sort: SortKey = 'rank';
  private _turn = 1;
  private _active: string | null = null;
  private _entering: string | null = null;
  private _drawn = new Map<string, Drawn>();
  private readonly _later = new Later();
  private readonly _steps = new StepsHead(
    () => this._model.send({ do: 'stop' }),
    () => this._model.send({ do: 'further' }),
    () => this.active?.row.focus({ preventScroll: true })
  );

  /** `changed` draws all anew. */
  constructor(
    private readonly _root: HTMLElement,
    private readonly _model: Model<ExploreTraits, ExploreAct>,
    private readonly _changed: () => void
  ) {}

  get active(): Drawn | undefined {
    return this.at(this._active);
  }

  at(id: string | null | undefined): Drawn | undefined {
    return this._drawn.get(id ?? '');
  }

  /** What is on the page, in its order. */
  get drawn(): Drawn[] {
    const groups = this._root.querySelectorAll<HTMLElement>('.lv-Hit');
    return [...groups].flatMap(group => this.at(group.dataset.id) ?? []);
  }

  /** What is left of the hits by filter, kind and marks, in their order. */
  shown(): HitRow[] {
    const { filter, held, marked } = this;
    const hits = this._model
      .get('hits')
      .filter(
        hit =>
          (!filter || `${hit.table}.${hit.column}`.toLowerCase().includes(filter)) &&
          (!this.onlyMarked || marked.has(hit.id)) &&
          (!this.kind || hit.kind === this.kind)
      );
    const value = (hit: HitRow): HitRow[SortKey] =>
      held ? (held.get(hit.id) ?? Infinity) : hit[this._sort];
    const turn = held ? 1 : this._turn;
    const order = (a: HitRow, b: HitRow): number =>
      (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.rank - b.rank) * turn;
    const block = (hit: HitRow): number => (hit.step ? 3 : below(hit));
    return hits.sort((a, b) => block(a) - block(b) || order(a, b));
  }

  draw(): HTMLElement {
    const hits = this.shown();
    if (!hits.some(hit => hit.id === this._active)) {
      this.activate(hits[0]?.id ?? null);
    }
    const drawn: Drawn[] = [];
    const draw = (hit: HitRow): HTMLElement[] => {
      const members = this.families.get(hit.id) ?? [];
      const family = [hit, ...members].map(
        (one, i) => this.at(one.id) ?? this._drawHit(one, i > 0)
      );
      drawn.push(...family);
      return family.map(({ group }) => group);
    };
    const lines = this._model.get('answer').lines ?? [];
    const asTheyAre = hits.filter(hit => !hit.step);
    const steps = hits.filter(hit => hit.step);
    const above = asTheyAre.filter(hit => !below(hit));
    const isAll = asTheyAre.every(below); // then it is shown at once
    const drawLine = (at: number): HTMLElement[] => {
      const group = asTheyAre.filter(hit => below(hit) === at);
      if (!group.length || (this.kind && this.kind !== group[0].kind)) {
        return [];
      }
      const [title, note] = lines[at - 1] ?? [`${group.length} more`, ''];
      const isOpen = this._lines.get(at) ?? isAll;
      const line = drawFold(at, title, note, isOpen, () => this._turnLine(at, isOpen));
      return [line, ...(isOpen ? group.flatMap(draw) : [])];
    };
    const table = h(
      'table',
      {
        class: 'lv-Grid lv-Hits',
        role: 'grid',
        'aria-label': `Ranked joins for ${this._model.get('frame')}`,
        'aria-colcount': COLUMNS.length,
        'aria-rowcount': hits.length + 1,
        'aria-multiselectable': 'true'
      },
      h(
        'thead',
        { role: 'rowgroup', hidden: !hits.length },
        drawHeads(this._sort, this._turn, (key, turn) => this._sortBy(key, turn))
      ),
      ...above.flatMap(draw),
      ...drawLine(1),
      ...drawLine(2),
      ...(this.looksFurther || steps.length ? [this._steps.element] : []),
      ...steps.flatMap(draw)
    );
    this._later.show(drawn);
    this._showSteps();
    const none = h('p', { class: 'lv-More' }, 'No hit is left by the filter.');
    return h('div', {}, table, hits.length || this.looksFurther ? null : none);
  }

  /** Whether there is a search for what joins after a step. */
  get looksFurther(): boolean {
    return this._model.get('steps').state !== 'none';
  }

  /** How far that search is; the rows stay as they are, but where the block comes or goes. */
  followSteps(): void {
    if (this._steps.element.isConnected === this.looksFurther) {
      this._showSteps();
    } else {
      this.keepFocus(this._changed);
    }
  }

  private _showSteps(): void {
    const found = this._model.get('hits').filter(hit => hit.step).length;
    this._steps.show(this._model.get('steps'), found);
  }

  private _sortBy(key: SortKey, turn: number): void {
    this._turn = this._sort === key ? -this._turn : turn;
    this._sort = key;
    this.held = null;
    this._changed();
    this._root.querySelector<HTMLElement>(`[data-sort="${key}"]`)?.focus();
  }

  private _turnLine(at: number, isOpen: boolean): void {
    this._lines.set(at, !isOpen);
    this._changed();
    this._root.querySelector<HTMLElement>(`[data-line="${at}"]`)?.focus();
  }

  private _drawHit(hit: HitRow, member: boolean): Drawn {
    const drawn = new Drawn(hit, member, row => {
      row.tabIndex = hit.id === this._active ? 0 : -1;
      showState(row, hit, null, this.marked.has(hit.id));
    });
    const { group } = drawn;
    const isOpen = this.open.get(hit.id);
    if (isOpen) {
      const place = [...this.open.keys()].indexOf(hit.id);
      const detail = drawDetail(hit, `${this._model.model_id ?? 'lv'}-hit-${place}`, isOpen, {
        change: what => this._choose(hit, what),
        keep: what => void this.open.set(hit.id, { ...this.open.get(hit.id)!, ...what }),
        preview: () => this.act('preview', hit),
        join: () => this.act('join', hit),
        copy: () => this.act('copy', hit)
      });
      group.classList.add('lv-open');
      group.append(detail);
      showState(drawn.row, hit, detail.id, this.marked.has(hit.id));
    }
    this._drawn.set(hit.id, drawn);
    return drawn;
  }

  activate(id: string | null): void {
    this.active?.row.setAttribute('tabindex', '-1');
    this._active = id;
    this.active?.row.setAttribute('tabindex', '0');
  }

  /** Draw anew, and leave the focus on the part of a hit that had it. */
  keepFocus(draw: () => void): void {
    keepFocus(this._root, id => this.at(id), draw);
  }

  /** Draw one hit again. */
  private _redraw(id: string): void {
    const old = this.at(id);
    if (old) {
      this.keepFocus(() => {
        const drawn = this._drawHit(old.hit, old.member);
        drawn.make();
        old.group.replaceWith(drawn.group);
      });
    }
  }

  change(hit: HitRow, what: Partial<Opened>): void {
    this.open.set(hit.id, { ...(this.open.get(hit.id) ?? opened()), ...what });
    this._redraw(hit.id);
  }

  /** Somebody has chosen something in an open hit: its rows may be others. */
  private _choose(hit: HitRow, what: Partial<Opened>): void {
    this.change(hit, what);
    const now = this.open.get(hit.id);
    if (now && !now.joined && now.details?.cheap) {
      this.act('preview', hit);
    }
  }

  unfold(hit: HitRow): void {
    if (!this.open.has(hit.id)) {
      this._model.send({ do: 'details', hit: hit.id });
      this.change(hit, {});
    }
  }

  /** The values of a hit that meet nothing, or its rows again. */
  turnWithout(hit: HitRow): void {
    this.unfold(hit);
    const part = this.open.get(hit.id)?.part === 'without' ? 'rows' : 'without';
    this.change(hit, { part });
  }

  fold(hit: HitRow): void {
    this.open.delete(hit.id);
    this._redraw(hit.id);
  }

  /** Show the others of a family, or hide them. */
  unfoldFamily(hit: HitRow): void {
    if (this.families.delete(hit.id)) {
      this._changed();
    } else {
      this._model.send({ do: 'alike', hit: hit.id });
    }
  }

  /** The others of a family have come. */
  showFamily(hit: HitRow, members: HitRow[]): void {
    this.families.set(hit.id, members);
    this.keepFocus(this._changed);
  }

  /** Into the details of a hit, as soon as they are there. */
  enter(hit?: HitRow): void {
    if (hit) {
      this._entering = hit.id;
      this.unfold(hit);
    }
    const details = this.at(this._entering)?.group;
    const first = details?.querySelector<HTMLElement>('.lv-DetailRow :is(button, input)');
    if (first) {
      this._entering = null;
      first.focus();
    }
  }

  mark(id: string): void {
    if (!this.marked.delete(id)) {
      this.marked.add(id);
    }
    this._redraw(id);
  }

  /** Rows, the join or its code; where rows would multiply, the open hit asks first. */
  act(what: 'preview' | 'join' | 'copy', hit: HitRow): void {
    const now = this.open.get(hit.id);
    const multiplies = now?.details ? waits(now) : !now && hit.factor !== '';
    if (what === 'preview' ? !now : multiplies || (now && !now.details)) {
      this.enter(hit);
      return;
    }
    if (what !== 'preview' && multiplies) {
      return;
    }
    const name = now?.name ?? now?.details?.name;
    if (what === 'join' && now && name && !now.replaces && now.details?.taken.includes(name)) {
      this.change(hit, { replaces: true });
      return;
    }
    this._model.send({
      do: what,
      hit: hit.id,
      how: now?.keep ?? 'left',
      many: now?.many ?? 'all',
      dropped: [...(now ? droppedOf(now) : [])],
      ...(now?.name ? { name: now.name } : {})
    });
  }

  /** The answer to another question: nothing is open, marked or held any more. */
  beginAnew(): void {
    this.open.clear();
    this.marked.clear();
    this.families.clear();
    this._lines.clear();
    this._active = null;
    this.held = null;
  }

  /** The same question's answer: what is not in it any more is forgotten; a new order waits where `isAmong`. */
  settle(isAmong: boolean): void {
    const known = new Set(this._model.get('hits').map(hit => hit.id));
    const before = this.drawn.map(({ hit }) => hit.id).filter(id => known.has(id));
    this.held = null;
    const after = this.shown();
    if (isAmong && before.some((id, i) => id !== after[i]?.id)) {
      this.held = new Map(before.map((id, i) => [id, i]));
    }
    for (const [id, members] of this.families) {
      if (known.has(id)) {
        members.forEach(one => known.add(one.id));
      }
    }
    for (const ids of [this.open, this.marked, this.families]) {
      [...ids.keys()].filter(id => !known.has(id)).forEach(id => ids.delete(id));
    }
    this.renew();
  }

  /** Ask again what is known of the open hits. */
  renew(): void {
    for (const hit of this.open.keys()) {
      this._model.send({ do: 'details', hit });
    }
  }

  /** Not into the details after all; whether that was about to be. */
  stay(): boolean {
    const waited = this._entering !== null;
    this._entering = null;
    return waited;
  }

  /** The hits have changed: none is drawn yet. */
  forget(): void {
    this._drawn.clear();
  }
}
