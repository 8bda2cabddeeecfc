import { button, h, icon } from '../parts/dom';
import { alike, fillKind, makeRow } from './hit_row';
import type { HitRow } from './traits';

/** The hit that a row is of. */
export const idOf = (row: Element): string => row.parentElement?.dataset.id ?? '';

/** What opens the editor of a step. */
export const EDITORS: Partial<Record<HitRow['kind'], string>> = {
  transform: 'Open the editor',
  fuzzy: 'Set the threshold'
};

/** The row of a hit, closed. */
export function makeHitRow(hit: HitRow): HTMLElement {
  const row = makeRow(hit, 'gridcell');
  row.tabIndex = -1;
  row.setAttribute('data-lm-suppress-shortcuts', 'true');
  row.setAttribute('aria-selected', 'false');
  if (hit.alike) {
    const look = { type: 'button', class: 'lv-Link', tabindex: -1, 'data-do': 'alike' };
    row.querySelector('.lv-name .lv-sub')?.append(' · ', h('button', look, alike(hit)));
  }
  const editor = EDITORS[hit.kind];
  if (editor) {
    const look = { tabindex: -1, 'data-do': 'editor', title: `${editor} in a cell of its own (E)` };
    row.lastElementChild?.replaceChildren(button(null, editor, null, look));
  }
  return row;
}

/** What the rows of a hit stand in. */
export function makeGroup(hit: HitRow, member: boolean): HTMLElement {
  const group = h('tbody', { role: 'rowgroup', class: 'lv-Hit', 'data-id': hit.id });
  group.classList.toggle('lv-accident', hit.below);
  group.classList.toggle('lv-alike', member);
  return group;
}

/** Show on a row whether it is open and marked. */
export function showState(
  row: HTMLElement,
  hit: HitRow,
  open: string | null,
  marked: boolean
): void {
  row.setAttribute('aria-selected', String(marked));
  fillKind(row.children[1] as HTMLElement, hit, marked);
  const toggle = row.querySelector('button');
  toggle?.setAttribute('aria-expanded', String(open !== null));
  toggle?.replaceChildren(icon(open !== null ? 'down' : 'right'));
  if (open) {
    toggle?.setAttribute('aria-controls', open);
  }
}
