import { h, type Child } from '../parts/dom';
import { KINDS } from './hit_row';
import { buttonLook } from '../parts/looks';
import type { ExploreAct, ExploreTraits, HitRow } from './traits';
import type { Model } from './widget';

/** A list for each column that is joined on, and one to join on another together with them. */
export function drawChoosers(place: HTMLElement, model: Model<ExploreTraits, ExploreAct>): void {
  const chosen = model.get('chosen');
  const columns = model.get('columns');
  const frame = model.get('frame');
  place.hidden = !columns.length;
  const lists = (): HTMLSelectElement[] => [...place.querySelectorAll('select')];
  const focused = lists().findIndex(list => list === document.activeElement);
  const choose = (at: number, value: string): void => {
    const next = [...chosen];
    next.splice(at, 1, ...(value === '' ? [] : [Number(value)]));
    model.set('chosen', next);
    model.save_changes();
  };
  const list = (at: number, label: string): HTMLElement => {
    const free = [...columns.keys()].filter(i => i === chosen[at] || !chosen.includes(i));
    const onchange = (): void => choose(at, select.value);
    const select = h(
      'select',
      { class: 'lv-Input', 'aria-label': label, onchange },
      at ? h('option', { value: '' }, '—') : null,
      ...free.map(i => h('option', { value: i }, columns[i]))
    );
    select.value = String(chosen[at] ?? '');
    return h('label', {}, at ? 'and ' : `${frame} · `, select);
  };
  place.replaceChildren(
    ...chosen.map((_, at) => list(at, at ? 'Together with' : `Column of ${frame}`)),
    ...(chosen.length < columns.length ? [list(chosen.length, 'Join on another column too')] : [])
  );
  lists()[focused]?.focus();
}

/** A list of the columns that others may tell of: the target. */
export function drawTargets(place: HTMLElement, model: Model<ExploreTraits, ExploreAct>): void {
  const targets = model.get('targets');
  place.hidden = !targets.length;
  const select = h(
    'select',
    {
      class: 'lv-Input',
      'aria-label': 'Target',
      title: 'Sort and picture the new columns by what they tell of a column of yours',
      onchange: () => {
        model.set('target', Number(select.value));
        model.save_changes();
      }
    },
    h('option', { value: -1 }, 'no target'),
    ...[...targets.keys()].map(i => h('option', { value: i }, targets[i]))
  );
  select.value = String(model.get('target'));
  const isIn = place.contains(document.activeElement);
  place.replaceChildren(h('label', {}, h('span', { class: 'lv-chipword' }, 'Target: '), select));
  if (isIn) {
    select.focus();
  }
}

type Kind = HitRow['kind'];

/** One button a kind, chance matches not counted; `shown` is the one that is shown, null for all. */
export function drawKinds(
  place: HTMLElement,
  hits: HitRow[],
  shown: Kind | null,
  show: (kind: Kind | null) => void
): void {
  const ranked = hits.filter(hit => !hit.below);
  const counts = new Map<Kind, number>();
  for (const { kind } of ranked) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const one = (kind: Kind | null, title: string | null, ...inside: Child[]): HTMLElement => {
    const name = kind ?? 'all';
    const onclick = (): void => {
      show(kind);
      place.querySelector<HTMLElement>(`[data-kind="${name}"]`)?.focus();
    };
    const look = { 'aria-pressed': String(shown === kind), 'data-kind': name, title };
    return h('button', { type: 'button', class: buttonLook(), onclick, ...look }, ...inside);
  };
  const kinds = (Object.keys(KINDS) as Kind[]).filter(kind => counts.has(kind));
  place.hidden = counts.size < 1;
  place.replaceChildren(
    one(null, null, `All ${ranked.length}`),
    ...kinds.map(kind => {
      const [sign, word, meaning] = KINDS[kind];
      const label = h('span', { class: 'lv-chipword' }, ` ${word}`);
      return one(kind, meaning, h('b', {}, sign), label, ` ${counts.get(kind)}`);
    })
  );
}

/** Draw anew, and scroll so that the row that `find` finds before and after stays where it is on the screen. */
export function keepStill(
  body: HTMLElement,
  find: () => HTMLElement | undefined,
  draw: () => void
): void {
  const before = find()?.getBoundingClientRect().top;
  draw();
  const after = find()?.getBoundingClientRect().top;
  const moved = before === undefined || after === undefined ? 0 : after - before;
  if (!moved) {
    return;
  }
  const scrolls = (element: HTMLElement): boolean =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) &&
    element.scrollHeight > element.clientHeight;
  let scroller: HTMLElement | null = body;
  while (scroller && !scrolls(scroller)) {
    scroller = scroller.parentElement;
  }
  if (scroller) {
    scroller.scrollTop += moved;
  }
}

/**
 * A function that does something once no button inside `root` is held: one that were drawn anew between down and up
 * would lose its click.
 */
export function whenFree(root: HTMLElement): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  let held = false;
  const free = (): void => {
    // After the click.
    setTimeout(() => {
      held = false;
      waiting.splice(0).forEach(act => act());
    });
  };
  const hold = (...ends: string[]): void => {
    held = true;
    const until = new AbortController();
    const end = (): void => {
      until.abort();
      free();
    };
    [...ends, 'blur'].forEach(name => window.addEventListener(name, end, { signal: until.signal }));
  };
  root.addEventListener('pointerdown', () => hold('pointerup', 'pointercancel'), true);
  root.addEventListener(
    'keydown',
    event => {
      if (event.key === ' ' && (event.target as Element).matches('button, input')) {
        hold('keyup');
      }
    },
    true
  );
  return act => (held ? void waiting.push(act) : act());
}

/** Draw anew, and leave the focus on the part of a hit that had it; `at` finds a hit's elements by its id. */
export function keepFocus(
  root: HTMLElement,
  at: (id?: string) => { group: HTMLElement; row: HTMLElement } | undefined,
  draw: () => void
): void {
  const parts = (group?: HTMLElement): HTMLElement[] =>
    group ? [...group.querySelectorAll<HTMLElement>('button, input, select, [tabindex]')] : [];
  const focused = document.activeElement;
  const group = focused?.closest<HTMLElement>('.lv-Hit') ?? undefined;
  const before = group && root.contains(group) ? parts(group) : [];
  const place = before.findIndex(part => part === focused);
  const called = (part: HTMLElement): string =>
    `${part.tagName} ${part.getAttribute('aria-label') ?? part.textContent}`;
  draw();
  if (place >= 0) {
    const fresh = at(group?.dataset.id);
    const after = parts(fresh?.group);
    const same = after.find(part => called(part) === called(before[place]));
    (same ?? after[place] ?? fresh?.row)?.focus({ preventScroll: true });
  }
}
