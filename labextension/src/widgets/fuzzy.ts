import { button, h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import { g } from '../parts/svg';
import { Aside, drawCover, drawCurveTable } from './fuzzy_aside';
import { drawCurve, type Scales } from './fuzzy_chart';
import { drawPairCounts } from './fuzzy_every';
import { Handle, handleKeys } from './fuzzy_handle';
import { drawSides } from './fuzzy_pairs';
import { drawRead, drawReadOfAll } from './fuzzy_read';
import { advisedAt, standingAt } from './fuzzy_standing';
import { drawUnreached, isUnreached } from './fuzzy_unreached';
import { JoinFoot, type FootAct } from './join_foot';
import { drawOffered, offer } from './offer';
import { drawPreview } from './preview';
import type { Choices, FuzzyAct, FuzzyTraits, Said, Verdict } from './traits';
import { at, drawHelp, drawShort, follow, giveWay, isForeign, press, type Place } from './widget';

const REST = 200; // milliseconds after which the handle rests

/** The widget of a fuzzy join's plan: the handle on the curve, the pairs on either side of it, judgements. */
function render({ model, el }: Place<FuzzyTraits, FuzzyAct | FootAct>): () => void {
  const state = {
    step: 0,
    isMoved: false,
    wasMoved: false,
    isTableShown: false,
    isCurveShown: false,
    width: 0
  };
  let active: string | null = null;
  let scales: Scales;
  let saving: number | undefined;
  const [left, right] = model.get('names');
  const send = (message: FuzzyAct) => (): void => model.send(message);

  const root = h('section', {
    class: 'lv lv-Explore lv-Fuzzy',
    'aria-label': `Fuzzy join of ${left} and ${right}`,
    'data-lm-suppress-shortcuts': 'true'
  });
  const live = h('span', { role: 'status', class: 'lv-Status' });
  const head = h('header', { class: 'lv-Head' });
  const chart = g('svg', {
    class: 'lv-Chart',
    role: 'group',
    'aria-label': 'Rows joined at each threshold, and the expected precision'
  });
  const handle = new Handle();
  const table = h('div', { class: 'lv-CurveTable' });
  const toggleTable = (): void => {
    state.isTableShown = !state.isTableShown;
    drawTable();
  };
  const closed = { 'aria-expanded': 'false' };
  const tableButton = button('table', 'Curve as table', toggleTable, closed, 'plain');
  const aside = new Aside(model, choose);
  const sides = h('div', { class: 'lv-Sides' });
  const alert = h('div', { role: 'alert' });
  const preview = h('div');
  const advise = (): void => {
    state.wasMoved = false;
    model.send({ do: 'advise' });
  };
  const showCurve = (): void => {
    state.isCurveShown = !state.isCurveShown;
    drawMoving();
    next.querySelector<HTMLElement>('[aria-expanded]')?.focus();
  };
  const next = h('div', { class: 'lv-Next' });
  const read = h('div', { class: 'lv-Read' });
  const foot = new JoinFoot(message => model.send(message), drawMoving);
  const keys = drawHelp([
    ['← →', 'threshold by 0.01'],
    ['PgUp PgDn', 'by 0.05'],
    ['A', 'back to the advised one'],
    ['↑ ↓', 'pair'],
    ['Y N', 'judge'],
    ['U', 'undo'],
    ['P', 'preview'],
    ['J', 'join'],
    ['C', 'copy code']
  ]);
  const short = drawShort(keys);
  const plot = h('div', { class: 'lv-Plot' }, read, chart, tableButton, table);
  const observer = new ResizeObserver(() => {
    const width = Math.round(plot.clientWidth - 16);
    if (width > 0 && width !== state.width) {
      state.width = width;
      drawChart();
    }
  });
  observer.observe(plot);
  root.append(
    head,
    next,
    h('div', { class: 'lv-Split' }, plot, aside.node),
    sides,
    alert,
    foot.node,
    preview
  );
  root.addEventListener('keydown', onKey);
  handle.drag(chart, x => move(nearest(scales.t(x))), settle);
  el.append(root);
  const unwatch = giveWay(model, el, model.get('look'));

  const facts = (): FuzzyTraits['facts'] => model.get('facts');
  const advice = (): FuzzyTraits['advice'] => model.get('advice');
  const every = (): boolean => model.get('choices').cardinality.value === 'N:M';
  const threshold = (): number => facts().thresholds[state.step];
  const nearest = (t: number): number =>
    facts().thresholds.reduce(
      (best, each, i, all) => (Math.abs(each - t) < Math.abs(all[best] - t) - 1e-9 ? i : best),
      0
    );
  /** Nothing is joined unasked: until the handle moves, a plan without advice joins none but what was accepted. */
  const joins = (): boolean => model.get('joins') || state.isMoved;

  /** What stands still under the handle, as wide as there is room. */
  function drawChart(): void {
    const width = state.width || 700;
    const drawn = every()
      ? drawPairCounts(facts(), width)
      : drawCurve(facts(), advice().target, advisedAt(advice()), width);
    scales = drawn.at;
    const { lanes } = scales;
    chart.setAttribute('viewBox', `0 0 ${lanes.width} ${lanes.height}`);
    chart.setAttribute('width', String(lanes.width));
    chart.setAttribute('height', String(lanes.height));
    chart.replaceChildren(...drawn.parts, handle.node);
    drawMoving();
  }

  function drawAll(): void {
    state.step = nearest(model.get('threshold'));
    state.isMoved = false;
    const sign = { class: 'lv-muted', role: 'img', 'aria-label': 'is like' };
    head.replaceChildren(
      h(
        'p',
        { class: 'lv-Title' },
        icon('lake'),
        h('code', {}, left),
        h('span', sign, '≈'),
        h('code', {}, right)
      ),
      live,
      h('span', { class: 'lv-Spring' }),
      keys,
      short
    );
    aside.aim(advice().target ?? 0.9);
    aside.draw();
    drawTable();
    drawChart();
  }

  function choose(name: keyof Choices, value: string): void {
    live.replaceChildren(icon('info'), 'comparing …');
    model.send(
      name === 'cardinality' ? { do: 'keep', cardinality: value } : { do: 'compare', [name]: value }
    );
  }

  function drawTable(): void {
    tableButton.setAttribute('aria-expanded', String(state.isTableShown));
    table.replaceChildren(...(state.isTableShown ? [drawCurveTable(facts().curve)] : []));
  }

  /** What follows the handle: nothing here asks the kernel. */
  function drawMoving(): void {
    const { leftRows, thresholds } = facts();
    const how = model.get('how');
    const isMoved = state.isMoved || state.wasMoved;
    const now = standingAt(facts(), state.step, advice(), how, joins(), isMoved, every());
    const { precision, joined, kept, out } = now;
    handle.place(
      {
        threshold: now.threshold,
        rows: kept,
        precision,
        spoken: {
          'aria-valuemin': thresholds[0],
          'aria-valuemax': thresholds[thresholds.length - 1],
          'aria-valuenow': now.threshold,
          'aria-valuetext': now.spoken
        }
      },
      scales
    );
    read.replaceChildren(...(every() ? drawReadOfAll(now, how) : drawRead(now, advice(), advise)));
    const isStuck = isUnreached(advice()) && !joins();
    root.classList.toggle('lv-mod-short', isStuck && !state.isCurveShown);
    foot.lead(!isStuck);
    next.replaceChildren(
      ...(isStuck ? drawUnreached(advice(), facts(), state.isCurveShown, send, showCurve) : [])
    );
    aside.include(now.threshold, drawCover(left, joined, leftRows, 'joined', 'without'));
    const [yes, no] = model.get('judged');
    const mine = [yes && `${count(yes)} by your Yes`, no && `${count(no)} left out by your No`];
    const judged = mine.filter(Boolean).join(', ');
    const alone = leftRows - joined;
    const said = h('span', { class: 'lv-muted' });
    said.append(` · ${count(joined)} joined, ${count(alone)} without`, judged && `; ${judged}`);
    const rows = h('b', {}, `${count(foot.isAlone ? alone : out)} rows after`);
    foot.show(how, model.get('result'), rows, said);
    const [mark, tone, words] = now.status;
    live.className = `lv-Status ${tone}`;
    live.replaceChildren(icon(mark), words);
    drawPairs();
  }

  function drawPairs(): void {
    const key = document.activeElement?.closest<HTMLElement>('.lv-Pair')?.dataset.key;
    const find = (each: string | null): HTMLElement | null =>
      sides.querySelector<HTMLElement>(`[data-key="${each}"]`);
    const activate = (each: string): void => {
      active = each;
    };
    sides.replaceChildren(...drawSides(facts(), state.step, [left, right], { judge, activate }));
    const first = find(active) ?? sides.querySelector<HTMLElement>('.lv-Pair');
    if (first) {
      first.tabIndex = 0;
    }
    if (key) {
      (find(key) ?? first)?.focus();
    }
  }

  function judge(pair: number, verdict: Verdict): void {
    settle();
    model.send({ do: 'judge', pair, verdict });
  }

  /** Move the handle; the plan follows when it rests. */
  function move(step: number): void {
    state.step = Math.min(Math.max(step, 0), facts().thresholds.length - 1);
    state.isMoved = state.wasMoved = true;
    drawMoving();
    clearTimeout(saving);
    saving = setTimeout(settle, REST);
  }

  function settle(): void {
    clearTimeout(saving);
    if (state.isMoved) {
      model.set('threshold', threshold());
      model.save_changes();
    }
  }

  function moveBy(amount: number): void {
    const to = nearest(threshold() + amount);
    move(to === state.step ? to + Math.sign(amount) : to);
  }

  function onKey(event: KeyboardEvent): void {
    const target = at(event);
    if (isForeign(event) || target.matches('input, select')) {
      return;
    }
    const step = scales.to > 1 ? 1 : 0.01;
    const rows = [...sides.querySelectorAll<HTMLElement>('.lv-Pair')];
    const place = rows.findIndex(row => row === target.closest('.lv-Pair'));
    const number = Number(rows[place]?.dataset.pair);
    const onHandle = event.target === handle.node && handleKeys(step, moveBy, move);
    const onPair = place >= 0 && {
      ArrowDown: () => rows[Math.min(place + 1, rows.length - 1)].focus(),
      ArrowUp: () => rows[Math.max(place - 1, 0)].focus(),
      y: () => judge(number, 'yes'),
      n: () => judge(number, 'no')
    };
    const back = place >= 0 ? handle.node : root.closest<HTMLElement>('.jp-Notebook');
    press(event, {
      a: advise,
      u: send({ do: 'undo' }),
      p: send({ do: 'preview' }),
      j: () => foot.join(),
      c: () => foot.copy(),
      Escape: () => back?.focus(),
      ...onHandle,
      ...onPair
    });
  }

  async function take(code: string, then: Said['then']): Promise<void> {
    const end = await offer(root, code, then);
    if (end === 'inserted') {
      foot.inserted();
    } else if (end === 'copied') {
      live.replaceChildren(icon('check'), 'code copied');
    } else if (end === 'refused') {
      alert.replaceChildren(drawOffered(code));
    }
  }

  function onMessage(said: Said): void {
    if (said.code) {
      void take(said.code, said.then);
    } else if (said.taken) {
      foot.taken(said.taken);
    } else if (said.preview) {
      preview.replaceChildren(drawPreview(said.preview));
    }
  }

  /** A choice that was refused goes back. */
  function onError(): void {
    const error = model.get('error');
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
    drawAll();
  }

  /** While the handle moves on, what comes back of an earlier place changes nothing. */
  function onThreshold(): void {
    if (Math.abs(model.get('threshold') - threshold()) > 1e-9) {
      drawAll();
    }
  }

  const unfollow = follow(model, {
    'change:facts': drawAll,
    'change:advice': drawAll,
    'change:choices': drawAll,
    'change:threshold': onThreshold,
    'change:joins': drawMoving,
    'change:how': drawMoving,
    'change:result': drawMoving,
    'change:evidence': () => aside.draw(),
    'change:judged': drawAll,
    'change:error': onError,
    'msg:custom': onMessage
  });
  drawAll();
  return () => {
    clearTimeout(saving);
    observer.disconnect();
    unfollow();
    unwatch();
  };
}

export default { render };
