import { button, h, icon } from '../parts/dom';
import { drawEmpty } from './explore_empty';
import { Grid } from './explore_grid';
import { EDITORS, idOf } from './explore_hit';
import { drawChoosers, drawKinds, drawTargets, keepStill, whenFree } from './explore_tools';
import { drawOffered, offer, RUNS } from './offer';
import type { ExploreAct, ExploreTraits, Said } from './traits';
import {
  at,
  drawHelp,
  drawShort,
  follow,
  giveWay,
  isForeign,
  press,
  showFromTop,
  taken,
  type Place
} from './widget';

const KEYS: [string, string][] = [
  ['↑ ↓', 'hit'],
  ['→', 'open'],
  ['J', 'join'],
  ['C', 'code'],
  ['E', 'editor'],
  ['M', 'unmatched'],
  ['Space', 'mark'],
  ['/', 'filter']
];

/** Where the grid of a column is drawn; back: to the overview that somebody came from, where the best hit was shown
 * already: it opens then. */
interface Inside extends Place<ExploreTraits, ExploreAct> {
  back?: () => void;
}

/** The widget of lv.explore: draws the model's traits. Nothing is loaded from anywhere. */
function render({ model, el, back }: Inside): () => void {
  let question: number | null = null;
  let opens = Boolean(back);
  const frame = model.get('frame');
  const root = h('section', {
    class: 'lv lv-Explore',
    'aria-label': `Joins for ${frame}`,
    'data-lm-suppress-shortcuts': 'true'
  });
  const grid = new Grid(root, model, drawGrid);
  const head = h('header', { class: 'lv-Head' });
  const alert = h('div', { role: 'alert' });
  const body = h('div');
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });

  const choosers = h('span', { class: 'lv-Choosers' });
  const filter = h('input', {
    type: 'search',
    class: 'lv-Input',
    placeholder: 'Filter',
    'aria-label': 'Filter tables and columns',
    oninput: () => {
      grid.filter = filter.value.toLowerCase();
      drawGrid();
    }
  });
  const showMarked = (): void => {
    grid.onlyMarked = !grid.onlyMarked;
    marks.setAttribute('aria-pressed', String(grid.onlyMarked));
    drawGrid();
  };
  const marks = button(null, 'Marked only', showMarked, { 'aria-pressed': 'false' });
  const compare = button(null, 'Compare…', () =>
    model.send({ do: 'compare', hits: [...grid.marked] })
  );
  const kinds = h('span', { role: 'group', 'aria-label': 'Kinds of joins', class: 'lv-Kinds' });
  const keys = drawHelp(KEYS);
  const help = drawShort(keys);
  const reorder = button('up', 'Order changed: update', () => {
    grid.held = null;
    grid.keepFocus(drawGrid);
  });
  const cancel = button('stop', 'Cancel', () => model.send({ do: 'cancel' }));
  const look = { type: 'button', class: 'lv-Link lv-Crumb', title: 'Back to all columns (Esc)' };
  const crumb = h('button', { ...look, onclick: back }, icon('back'), h('code', {}, frame));
  const tools = h('div', { class: 'lv-Tools' });
  const targets = h('span', { class: 'lv-Targets' });
  const spring = h('span', { class: 'lv-Spring' });
  tools.append(choosers, filter, kinds, marks, compare, reorder, spring, targets);
  const again = h(
    'p',
    { class: 'lv-More' },
    button('search', 'Look again', () => model.send({ do: 'search' }))
  );
  root.append(head, tools, alert, again, body);
  root.addEventListener('keydown', onKey);
  root.addEventListener('click', onClick);
  root.addEventListener('focusin', event => {
    if (at(event).matches('.lv-HitRow')) {
      grid.activate(idOf(at(event)));
    }
  });
  el.append(root);

  const names = (): string[] => {
    const columns = model.get('columns');
    return columns.length ? model.get('chosen').map(i => columns[i]) : [];
  };

  function drawHead(): void {
    const { facts = [] } = model.get('answer');
    const [first, ...more] = names();
    const column = more.length ? `(${[first, ...more].join(', ')})` : first;
    const name = first === undefined ? frame : `${frame}.${column}`;
    const title = back
      ? [crumb, h('span', { class: 'lv-muted' }, '/'), h('code', {}, column)]
      : ['Joins for ', h('code', {}, name)];
    head.replaceChildren(
      h('p', { class: 'lv-Title' }, icon('lake'), ...title),
      h('p', { class: 'lv-Facts', title: facts.join(' · ') }, facts.join(' · ')),
      live,
      cancel,
      h('span', { class: 'lv-Spring' }),
      keys,
      help
    );
  }

  function drawBusy(): void {
    const busy = model.get('busy');
    cancel.hidden = !busy;
    const error = model.get('error');
    const answered = model.get('answer').closest !== undefined;
    const exact = model.get('hits').every(hit => hit.exact);
    const [mark, tone, word] = busy
      ? ['half', '', `${busy} …`]
      : error
        ? ['x', 'lv-bad', 'failed']
        : !answered
          ? ['stop', '', 'cancelled']
          : exact
            ? ['check', 'lv-ok', 'exact']
            : ['half', '', '≈ approximate'];
    live.replaceChildren(icon(mark), answered && busy && !exact ? `≈ approximate · ${word}` : word);
    live.className = `lv-Status ${tone}`;
    again.hidden = Boolean(busy || answered);
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
  }

  function drawMarks(): void {
    const { size } = grid.marked;
    compare.disabled = !size;
    compare.textContent = size ? `Compare ${size}` : 'Compare…';
    marks.hidden = !size && !grid.onlyMarked;
  }

  function drawGrid(): void {
    const answer = model.get('answer');
    const hits = model.get('hits');
    if (!hits.some(hit => !hit.below && hit.kind === grid.kind)) {
      grid.kind = null;
    }
    drawKinds(kinds, hits, grid.kind, kind => {
      grid.kind = kind;
      drawGrid();
    });
    compare.hidden = !answer.compare;
    drawMarks();
    reorder.hidden = !grid.held;
    if (answer.closest === undefined) {
      body.replaceChildren();
      return;
    }
    const parts = [];
    if (!hits.length || answer.closest.length) {
      const problems = (): void => model.send({ do: 'problems' });
      parts.push(
        drawEmpty(names().join(', ') || frame, answer, model.get('columns').length > 1, problems)
      );
    }
    if (hits.length || grid.looksFurther) {
      parts.push(grid.draw());
    }
    if (answer.possible) {
      parts.push(h('p', { class: 'lv-More' }, answer.possible));
    }
    body.replaceChildren(...parts);
  }

  async function take(code: string, then: Said['then']): Promise<void> {
    const end = await offer(root, code, then);
    if (end === 'refused') {
      alert.replaceChildren(drawOffered(code));
      return;
    }
    if (end === 'inserted') {
      // The kernel may be gone by then.
      setTimeout(() => root.isConnected && grid.renew(), RUNS);
    }
    const copied = then === 'join' ? 'code copied: paste it into a cell' : 'code copied';
    live.replaceChildren(icon('check'), end === 'inserted' ? 'inserted below' : copied);
  }

  /** A click selects a hit; only its triangle opens it. */
  function onClick(event: MouseEvent): void {
    const row = at(event).closest<HTMLElement>('.lv-HitRow');
    const hit = row && grid.at(idOf(row))?.hit;
    if (!hit) {
      return;
    }
    const does = at(event).closest('button')?.dataset.do;
    if (does === 'alike') {
      grid.unfoldFamily(hit);
    } else if (at(event).closest('.lv-kind')) {
      grid.mark(hit.id);
      drawMarks();
    } else if (does === 'editor') {
      model.send({ do: does, hit: hit.id });
    } else if (does !== 'open') {
      row.focus();
    } else if (grid.open.has(hit.id)) {
      grid.fold(hit);
    } else {
      grid.unfold(hit);
    }
  }

  function leave(target: HTMLElement): void {
    if (grid.stay() || target.matches('input, select') || target.closest('.lv-DetailRow')) {
      grid.active?.row.focus();
    } else if (back && (target.matches('.lv-HitRow, .lv-Crumb, section') || !grid.active)) {
      back();
    } else if (model.get('busy')) {
      model.send({ do: 'cancel' });
    } else if (target.matches('.lv-HitRow')) {
      root.closest<HTMLElement>('.jp-Notebook')?.focus();
    } else {
      grid.active?.row.focus();
    }
  }

  function onKey(event: KeyboardEvent): void {
    const target = at(event);
    if (isForeign(event)) {
      return;
    }
    if (event.key === 'Escape') {
      taken(event);
      leave(target);
      return;
    }
    const hit = grid.active?.hit;
    const onButton = target.matches('button');
    if (target.matches('input, select') || !hit || (onButton && event.key === ' ')) {
      return;
    }
    const { drawn } = grid;
    const place = drawn.findIndex(({ group }) => group.contains(target));
    const go = (to: number): void => drawn.at(Math.min(to, drawn.length - 1))?.row.focus();
    const onRow = target.matches('.lv-HitRow') && {
      ArrowDown: () => go(place + 1),
      ArrowUp: () => go(Math.max(place - 1, 0)),
      Home: () => go(0),
      End: () => go(Infinity),
      ArrowRight: () => grid.unfold(hit),
      ArrowLeft: () => grid.fold(hit),
      Enter: () => grid.enter(hit),
      ' ': () => {
        grid.mark(hit.id);
        drawMarks();
      }
    };
    press(event, {
      p: () => grid.act('preview', hit),
      j: () => grid.act('join', hit),
      c: () => grid.act('copy', hit),
      m: () => grid.turnWithout(hit),
      e: EDITORS[hit.kind] ? () => model.send({ do: 'editor', hit: hit.id }) : undefined,
      '/': () => filter.focus(),
      ...onRow
    });
  }

  function onMessage({ code, then, details, joined, alike, hit: id }: Said): void {
    const hit = grid.at(id)?.hit;
    if (hit && alike) {
      grid.showFamily(hit, alike);
    }
    if (code) {
      void take(code, then);
    } else if (hit && !alike && grid.open.has(hit.id)) {
      grid.change(hit, details ? { details } : { joined: joined ?? null });
      if (details?.cheap && !grid.open.get(hit.id)?.joined) {
        grid.act('preview', hit);
      }
    }
    grid.enter();
  }

  /** Rows stay where they are on the screen, where the pointer or the focus is in one. */
  function keepPlace(draw: () => void): void {
    const hand = body.querySelector<HTMLElement>('.lv-Hit:hover, .lv-Hit:focus-within')?.dataset.id;
    keepStill(body, () => grid.at(hand)?.row, draw);
  }

  /** A new question's answer begins anew; one that got exact takes its place, and rows stay where somebody is. */
  function onAnswer(): void {
    const asked = model.get('answer').question ?? null;
    const isNew = asked !== question;
    if (isNew) {
      question = asked;
      grid.beginAnew();
    } else {
      grid.settle(body.matches(':hover, :focus-within'));
    }
    keepPlace(() =>
      grid.keepFocus(() => {
        grid.forget();
        drawHead();
        drawGrid();
        drawBusy();
      })
    );
    if (isNew) {
      showFromTop(model, root);
    }
    const [first] = grid.shown();
    if (opens && first && !first.below && !first.step) {
      opens = false;
      grid.unfold(first);
    }
  }

  const onBusy = (): void => keepPlace(drawBusy);
  const soon = whenFree(root);
  const unfollow = follow(model, {
    'change:answer': () => soon(onAnswer),
    'change:steps': () => soon(() => keepPlace(() => grid.followSteps())),
    'change:busy': onBusy,
    'change:error': onBusy,
    'change:chosen': () => {
      drawChoosers(choosers, model);
      drawHead();
    },
    'change:target': () => drawTargets(targets, model),
    'msg:custom': said => soon(() => onMessage(said))
  });
  const unwatch = giveWay(model, el, model.get('look'));
  drawChoosers(choosers, model);
  drawTargets(targets, model);
  onAnswer();
  return () => {
    unfollow();
    unwatch();
  };
}

export default { render };
