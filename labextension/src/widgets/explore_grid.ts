import { h, icon } from '../parts/dom';
import { drawDetail, type Opened } from './explore_detail';
import { COLUMNS, idOf, makeHit, type SortKey } from './explore_hit';
import type { ExploreAct, ExploreTraits, Hit } from './traits';
import type { Model } from './widget';

/** What is out of the ranking and stays below whatever is sorted by. */
const BELOW = [
  ['Times, flags and categories', 'these join whatever has such values'],
  ['Probably accidental', 'kept out of the ranking; never joined unasked']
];
/** 0 in the ranking, 1 or 2 in one of those groups. */
const below = (hit: Hit): number => (!hit.accidental ? 0 : hit.common ? 1 : 2);

/** A hit with its elements. */
interface Drawn {
  group: HTMLElement;
  row: HTMLElement;
  hit: Hit;
}

/** The hits of an answer: sorted, filtered, open, marked, and the one that the keyboard is at. */
export class Grid {
  filter = '';
  kind: Hit['kind'] | null = null;
  onlyMarked = false;
  /** Places of hits that stay while somebody is among them; null where the order is as sorted. */
  held: Map<string, number> | null = null;
  // What is open and marked is known by the hits' ids, so that it stays while an answer gets exact.
  readonly marked = new Set<string>();
  readonly open = new Map<string, Opened>();
  private _sort: SortKey = 'rank';
  private _turn = 1;
  private _active: string | null = null;
  private _entering: string | null = null;
  private _drawn = new Map<string, Drawn>();

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

  get rows(): HTMLElement[] {
    return [...this._root.querySelectorAll<HTMLElement>('.lv-HitRow')];
  }

  /** What is left of the hits by filter, kind and marks, in their order. */
  shown(): Hit[] {
    const { filter, held, marked } = this;
    const hits = this._model
      .get('hits')
      .filter(
        hit =>
          (!filter || `${hit.table}.${hit.column}`.toLowerCase().includes(filter)) &&
          (!this.onlyMarked || marked.has(hit.id)) &&
          (!this.kind || hit.kind === this.kind)
      );
    const value = (hit: Hit): Hit[SortKey] =>
      held ? (held.get(hit.id) ?? Infinity) : hit[this._sort];
    const turn = held ? 1 : this._turn;
    const order = (a: Hit, b: Hit): number =>
      (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.rank - b.rank) * turn;
    return hits.sort((a, b) => below(a) - below(b) || order(a, b));
  }

  draw(): HTMLElement {
    const hits = this.shown();
    if (!hits.some(hit => hit.id === this._active)) {
      this.activate(hits[0]?.id ?? null);
    }
    const draw = (hit: Hit): HTMLElement => this.at(hit.id)?.group ?? this._drawHit(hit);
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
      h('thead', { role: 'rowgroup' }, this._drawHeader()),
      ...hits.filter(hit => !below(hit)).map(draw),
      ...BELOW.flatMap(([title, note], i) => {
        const group = hits.filter(hit => below(hit) === i + 1);
        return group.length ? [drawLine(title, group.length, note), ...group.map(draw)] : [];
      })
    );
    const none = h('p', { class: 'lv-More' }, 'No hit is left by the filter.');
    return h('div', {}, table, hits.length ? null : none);
  }

  private _drawHeader(): HTMLElement {
    const sorted = this._turn > 0 ? 'ascending' : 'descending';
    const heads = COLUMNS.map(([key, text, name, turn]) => {
      const isSorted = this._sort === key;
      const arrow = isSorted ? icon(this._turn > 0 ? 'up' : 'down') : null;
      const onclick = (): void => this._sortBy(key, turn);
      return h(
        'th',
        {
          scope: 'col',
          role: 'columnheader',
          class: name,
          'aria-sort': isSorted ? sorted : 'none'
        },
        h('button', { type: 'button', 'data-sort': key, onclick }, text, arrow)
      );
    });
    return h('tr', { role: 'row' }, ...heads);
  }

  private _sortBy(key: SortKey, turn: number): void {
    this._turn = this._sort === key ? -this._turn : turn;
    this._sort = key;
    this.held = null;
    this._changed();
    this._root.querySelector<HTMLElement>(`[data-sort="${key}"]`)?.focus();
  }

  private _drawHit(hit: Hit): HTMLElement {
    const { group, row } = makeHit(hit);
    row.tabIndex = hit.id === this._active ? 0 : -1;
    row.setAttribute('aria-selected', String(this.marked.has(hit.id)));
    const opened = this.open.get(hit.id);
    if (opened) {
      const detail = drawDetail(hit, `${this._model.model_id ?? 'lv'}-hit-${hit.rank}`, opened, {
        choose: how => this.change(hit, { how, preview: null }),
        preview: () => this.act('preview', hit),
        join: () => this.act('join', hit),
        copy: () => this.act('copy', hit)
      });
      const toggle = row.querySelector('button');
      group.classList.add('lv-open');
      toggle?.setAttribute('aria-expanded', 'true');
      toggle?.setAttribute('aria-controls', detail.id);
      toggle?.replaceChildren(icon('down'));
      group.append(detail);
    }
    this._drawn.set(hit.id, { group, row, hit });
    return group;
  }

  activate(id: string | null): void {
    this.active?.row.setAttribute('tabindex', '-1');
    this._active = id;
    this.active?.row.setAttribute('tabindex', '0');
  }

  /** Draw anew, and leave the focus on the part of a hit that had it. */
  keepFocus(draw: () => void): void {
    const parts = (group?: HTMLElement): HTMLElement[] =>
      group ? [...group.querySelectorAll<HTMLElement>('button, [tabindex]')] : [];
    const focused = document.activeElement;
    const group = focused?.closest<HTMLElement>('.lv-Hit') ?? undefined;
    const place =
      group && this._root.contains(group) ? parts(group).findIndex(part => part === focused) : -1;
    draw();
    if (place >= 0) {
      const fresh = this.at(group?.dataset.id);
      (parts(fresh?.group)[place] ?? fresh?.row)?.focus({ preventScroll: true });
    }
  }

  /** Draw one hit again. */
  private _redraw(id: string): void {
    const old = this.at(id);
    if (old) {
      this.keepFocus(() => old.group.replaceWith(this._drawHit(old.hit)));
    }
  }

  change(hit: Hit, what: Partial<Opened>): void {
    const opened = this.open.get(hit.id) ?? { details: null, how: 'left', preview: null };
    this.open.set(hit.id, { ...opened, ...what });
    this._redraw(hit.id);
  }

  unfold(hit: Hit): void {
    if (!this.open.has(hit.id)) {
      this._model.send({ do: 'details', hit: hit.id });
      this.change(hit, {});
    }
  }

  fold(hit: Hit): void {
    this.open.delete(hit.id);
    this._redraw(hit.id);
  }

  /** Into the details of a hit, as soon as they are there. */
  enter(hit?: Hit): void {
    if (hit) {
      this._entering = hit.id;
      this.unfold(hit);
    }
    const details = this.at(this._entering)?.group;
    const first = details?.querySelector<HTMLElement>('.lv-DetailRow button');
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

  act(what: 'preview' | 'join' | 'copy', hit: Hit): void {
    if (what === 'preview') {
      this.unfold(hit);
    }
    this._model.send({ do: what, hit: hit.id, how: this.open.get(hit.id)?.how ?? 'left' });
  }

  /** The answer to another question: nothing is open, marked or held any more. */
  beginAnew(): void {
    this.open.clear();
    this.marked.clear();
    this._active = null;
    this.held = null;
  }

  /** The same question's answer: what is not in it any more is forgotten; a new order waits where `isAmong`. */
  settle(isAmong: boolean): void {
    const known = new Set(this._model.get('hits').map(hit => hit.id));
    const before = this.rows.map(idOf).filter(id => known.has(id));
    this.held = null;
    const after = this.shown();
    if (isAmong && before.some((id, i) => id !== after[i]?.id)) {
      this.held = new Map(before.map((id, i) => [id, i]));
    }
    for (const ids of [this.open, this.marked]) {
      [...ids.keys()].filter(id => !known.has(id)).forEach(id => ids.delete(id));
    }
    for (const hit of this.open.keys()) {
      this._model.send({ do: 'details', hit });
    }
  }

  /** The hits have changed: none is drawn yet. */
  forget(): void {
    this._drawn.clear();
  }
}

function drawLine(title: string, hits: number, note: string): HTMLElement {
  const small = h('small', {}, note);
  const words = `${title} (${hits})`;
  const head = h('th', { colspan: COLUMNS.length, role: 'rowheader' }, words, small);
  return h('tbody', { role: 'rowgroup' }, h('tr', { role: 'row', class: 'lv-Group' }, head));
}
