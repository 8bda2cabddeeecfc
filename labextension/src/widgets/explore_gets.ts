import { h } from '../parts/dom';
import { count, plural } from '../parts/numbers';
import { droppedOf, pictured, telling, type HitActs, type Opened } from './explore_open';
import { drawTitle } from './explore_parts';
import { drawLarge, drawSmall } from './explore_told';
import type { Get, HitRow } from './traits';

/** The columns that a join would add, ticked or not; with a target those first that tell of it. */
export function drawGets(hit: HitRow, open: Opened, acts: HitActs): HTMLElement {
  const { joined } = open;
  if (!joined) {
    return h('section', {}, drawTitle('What you get', hit.adds_text), hit.adds_names);
  }
  const { gets, untold } = joined;
  if (!gets.length) {
    return h('section', {}, drawTitle('What you get', 'no new column'));
  }
  const dropped = droppedOf(open);
  const all = new Set(gets.map(({ name }) => name));
  const left = gets.length - dropped.size;
  const flip = (): void => acts.change({ dropped: dropped.size ? new Set() : all });
  const look = { type: 'button', class: 'lv-Link', onclick: flip };
  const tells = telling(joined);
  const isTold = gets.some(({ told }) => told);
  const others = gets.filter(get => !tells.includes(get));
  const title = drawTitle(
    'What you get',
    `${left} of ${plural(gets.length, 'column')}${tells.length ? ', the telling first' : ''}`,
    h('button', look, dropped.size ? 'all' : 'none')
  );
  if (!isTold) {
    const note = untold ? h('p', { class: 'lv-muted' }, untold) : null;
    const items = gets.map(get => h('li', {}, ...drawTick(get, dropped, acts), ...drawKind(get)));
    return h('section', {}, title, note, h('ul', { class: 'lv-Get' }, ...items));
  }
  const sees = open.seesAll || !tells.length;
  const fold = {
    type: 'button',
    class: 'lv-Link',
    onclick: () => acts.change({ seesAll: !open.seesAll })
  };
  const more = h(
    'p',
    { class: 'lv-muted lv-Little' },
    `${count(others.length)} ${others.length === 1 ? 'tells' : 'tell'} little · `,
    h('button', fold, open.seesAll ? 'hide' : 'show')
  );
  const list = h(
    'ul',
    { class: 'lv-Get lv-Telling' },
    ...tells.map(get => drawTelling(get, open, dropped, acts)),
    ...(sees ? others.map(get => drawUntelling(get, dropped, acts)) : [])
  );
  return h('section', {}, title, list, tells.length && others.length ? more : null);
}

/** The tick of a column, and what the result calls it. */
function drawTick({ name, column }: Get, dropped: Set<string>, { change }: HitActs): HTMLElement[] {
  const tick = h('input', {
    type: 'checkbox',
    'aria-label': name,
    onchange: () => {
      const next = new Set(dropped);
      if (!next.delete(name)) {
        next.add(name);
      }
      change({ dropped: next });
    }
  });
  tick.checked = !dropped.has(name);
  const clash =
    name === column ? [h('code', {}, name)] : [h('code', {}, `${column} → `, h('b', {}, name))];
  const title = name === column ? name : `${name}: ${column} is taken`;
  return [h('label', { title }, tick, ...clash)];
}

const drawKind = ({ type, samples }: Get): HTMLElement[] => [
  h('em', {}, type),
  h('small', { title: samples }, samples)
];

/** A column that tells of the target: a small picture, which a click shows large. */
function drawTelling(get: Get, open: Opened, dropped: Set<string>, acts: HitActs): HTMLElement {
  const { name, told } = get;
  const isShown = pictured(open)?.name === name;
  const show = {
    type: 'button',
    class: 'lv-Pick',
    'aria-pressed': String(isShown),
    title: `${name} explains ${told!.explained} of it`,
    onclick: () => acts.change({ part: 'picture', picture: name })
  };
  return h(
    'li',
    { class: isShown ? 'lv-picked' : null },
    ...drawTick(get, dropped, acts),
    h('button', show, drawSmall(told!, name), h('small', {}, told!.span))
  );
}

function drawUntelling(get: Get, dropped: Set<string>, acts: HitActs): HTMLElement {
  return h('li', {}, ...drawTick(get, dropped, acts), h('small', {}, get.told?.why ?? ''));
}

/** What a column tells of the target, large. */
export function drawPicture({ name, told }: Get, { change }: HitActs): HTMLElement {
  const look = { type: 'button', class: 'lv-Link', onclick: () => change({ part: 'rows' }) };
  const title = h('p', { class: 'lv-H' });
  title.append(
    h('b', {}, 'What ', h('code', {}, name), ' tells of ', h('code', {}, told!.of)),
    h('button', look, 'five rows')
  );
  return h('section', {}, title, drawLarge(told!, name));
}
