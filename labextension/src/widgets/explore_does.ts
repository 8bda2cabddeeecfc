import { button, h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import { middleOf, waits, type HitActs, type Opened } from './explore_open';
import { drawTitle } from './explore_parts';
import { KEEPS } from './keeps';
import type { Details, HitRow } from './traits';

const EACH: [string, string][] = [
  ['aggregate', 'summed up by type'],
  ['first', 'the first'],
  ['last', 'the last'],
  ['list', 'as lists']
];

/** The bar of matched rows, what is kept, one row each or all, the result's name, and the buttons. */
export function drawDoes(hit: HitRow, details: Details, open: Opened, does: HitActs): HTMLElement {
  const { keep, name } = open;
  const rows = details.rows[keep] ?? -1;
  const each = open.many !== null && open.many !== 'all' && keep === 'left';
  const out = each ? details.matched + details.without : rows;
  const before = details.matched + details.without;
  const called = name ?? details.name;
  const isTaken = details.taken.includes(called);
  const keeps = KEEPS.filter(([value]) => value in details.rows).map(([value, word, meaning]) => {
    const choose = (): void => does.change({ keep: value, joined: null });
    const look = { role: 'radio', 'aria-checked': String(keep === value), title: meaning };
    return button(null, word, choose, look);
  });
  const input = h('input', {
    class: 'lv-Input',
    'aria-label': 'Name of the result',
    spellcheck: 'false',
    oninput: () => does.keep({ name: input.value.trim() || null, replaces: false }),
    onchange: () => does.change({}),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        event.stopPropagation();
        does.join();
      }
    }
  });
  input.value = called;
  const hint = isTaken
    ? open.replaces
      ? `${called} will be replaced: Join once more`
      : 'exists: it will be replaced'
    : '';
  const stays = waits(open);
  return h(
    'section',
    {},
    drawTitle('What it does'),
    details.matched < 0
      ? h('p', {}, 'Rows are not counted: a sketch or a part answered.')
      : drawSplit(details, open, does),
    h(
      'div',
      { class: 'lv-Do' },
      h('span', {}, 'Keep'),
      h('span', { class: 'lv-Kinds', role: 'radiogroup', 'aria-label': 'Keep' }, ...keeps),
      h('span', {}, 'Per row'),
      details.multiplies && ['left', 'inner'].includes(keep)
        ? drawGrain(details, open, does)
        : h('span', {}, details.key),
      h('span', {}, 'Rows'),
      h(
        'span',
        {},
        stays || out < 0
          ? 'as you choose'
          : h(
              'span',
              {},
              `${count(before)} → `,
              h('b', {}, `${open.keep === 'left' ? '' : details.about}${count(out)}`)
            )
      ),
      h('span', {}, 'Result'),
      input,
      hint ? h('small', { class: 'lv-hint lv-warn', role: 'status' }, hint) : null
    ),
    h(
      'div',
      { class: 'lv-Actions' },
      button(
        'join',
        'Join',
        does.join,
        { disabled: stays, title: stays ? 'Choose per row first' : null },
        'accept'
      ),
      button('copy', 'Copy code', does.copy, { disabled: stays }),
      hit.warn && open.many === 'all'
        ? h('span', { class: 'lv-warn' }, icon('warn', 'warning'), ` ${hit.effect}`)
        : null
    )
  );
}

/** Matched and unmatched rows: each part shows its rows. */
function drawSplit(
  { matched, without, about }: Details,
  open: Opened,
  { change }: HitActs
): HTMLElement {
  const share = (100 * matched) / Math.max(matched + without, 1);
  const show = (to: Opened['part'], look: string, words: string, width: number): [Node, Node] => {
    const onclick = (): void => change({ part: to });
    const bar = {
      type: 'button',
      class: look,
      style: `inline-size:${width}%`,
      'aria-label': `Show the ${words}`,
      onclick
    };
    const pressed = { 'aria-pressed': String(middleOf(open) === to) };
    const link = h('button', { type: 'button', class: 'lv-Link', onclick, ...pressed }, words);
    return [h('button', bar), h('span', {}, h('i', { class: look }), link)];
  };
  const [inBar, inText] = show('rows', 'lv-in', `${about}${count(matched)} matched`, share);
  if (!without) {
    const split = h('div', { class: 'lv-Parted' }, inBar);
    return h('div', {}, split, h('div', { class: 'lv-Parts' }, inText));
  }
  const [outBar, outText] = show(
    'without',
    'lv-out',
    `${about}${count(without)} without`,
    100 - share
  );
  return h(
    'div',
    {},
    h('div', { class: 'lv-Parted' }, inBar, outBar),
    h('div', { class: 'lv-Parts' }, inText, outText)
  );
}

/** One row each, or all: nothing is chosen beforehand where rows would multiply. */
function drawGrain(details: Details, { many, keep }: Opened, { change }: HitActs): HTMLElement {
  const isEach = many !== null && many !== 'all';
  const before = keep === 'left' ? details.matched + details.without : details.matched;
  const choose = (value: string) => (): void => change({ many: value, joined: null });
  const radio = (value: string, isOn: boolean, label: string): HTMLInputElement => {
    const tick = h('input', { type: 'radio', 'aria-label': label, onchange: choose(value) });
    tick.checked = isOn;
    return tick;
  };
  const list = h(
    'select',
    { class: 'lv-Input', 'aria-label': 'One row each, by', onchange: () => choose(list.value)() },
    ...EACH.map(([value, word]) => h('option', { value }, word))
  );
  list.value = isEach ? many : 'aggregate';
  const all = details.rows[keep] ?? -1;
  return h(
    'span',
    { class: 'lv-Radio', role: 'radiogroup', 'aria-label': 'Per row' },
    h(
      'span',
      {},
      radio('aggregate', isEach, 'one row each'),
      'one each, by ',
      list,
      h('b', {}, `${count(before)} rows`)
    ),
    h(
      'span',
      {},
      radio('all', many === 'all', 'all rows'),
      'all ',
      h('b', { class: 'lv-warn' }, icon('warn'), all < 0 ? ' not counted' : ` ${count(all)} rows`)
    )
  );
}
