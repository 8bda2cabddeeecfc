import { h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import { JoinFoot, type FootAct } from './join_foot';
import { drawOffered, offer } from './offer';
import { drawPreview } from './preview';
import type { FirstRows, Row, Said, TransformAct, TransformTraits } from './traits';
import { drawAside, drawProgram, drawTabs } from './transform_parts';
import { drawRows, KINDS, type Kind, type Shown } from './transform_rows';
import { at, drawHelp, follow, giveWay, isForeign, press, type Place } from './widget';

type Dialect = TransformTraits['codes'][number][0];

const DIALECTS: Record<Dialect, string> = { pandas: 'pandas', pyspark: 'PySpark', sql: 'SQL' };

/** The widget of lv.explore(plans): one learned join. Nothing is loaded from anywhere. */
function render({ model, el }: Place<TransformTraits, TransformAct | FootAct>): () => void {
  const id = `lv-t${Math.random().toString(36).slice(2)}`;
  const state: Shown = { tab: 'uncovered', active: 0, editing: null };
  let dialect: Dialect = 'pandas';
  let preview: FirstRows | null = null;
  const send = (message: TransformAct) => (): void => model.send(message);
  const foot = new JoinFoot(message => model.send(message), draw);
  const does = { edit, learn, correct, wrong, activate };

  const root = h('section', {
    class: 'lv lv-Transform',
    'aria-label': 'Join through a transformation',
    'data-lm-suppress-shortcuts': 'true'
  });
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });
  const alert = h('div', { role: 'alert' });
  const body = h('div');
  const help = drawHelp([
    ['↑ ↓', 'row'],
    ['Enter', 'correct this output'],
    ['N', 'use nearest key'],
    ['X', 'leave unmatched'],
    ['1 2 3', 'tabs'],
    ['P', 'preview'],
    ['J', 'join'],
    ['C', 'copy code']
  ]);
  root.append(body, help);
  root.addEventListener('keydown', onKey);
  root.addEventListener('pointerover', event => light(at(event).closest('[data-step]')));
  el.append(root);
  const unwatch = giveWay(model, el, model.get('look'));

  const facts = (): TransformTraits['facts'] => model.get('facts');
  const rows = (): Row[] => facts().rows[state.tab];
  const find = (selector: string): HTMLElement | null => root.querySelector(selector);
  const rowAt = (place: number): HTMLElement | null => find(`.lv-Pair[data-i="${place}"]`);

  /** Hovering or focusing a step lights its part in every row. */
  function light(step: HTMLElement | null): void {
    const number = step?.closest('.lv-Program') ? step.dataset.step : undefined;
    for (const mark of root.querySelectorAll<HTMLElement>('.lv-Op')) {
      mark.classList.toggle('lv-lit', number !== undefined && mark.dataset.step === number);
    }
  }

  function draw(): void {
    const focus = focused();
    const plans = model.get('alternatives');
    const chosen = model.get('chosen');
    const tabs = KINDS.map<[Kind, string]>(([kind, name]) => [
      kind,
      `${name} (${count(facts().counts[kind])})`
    ]);
    const choose = (plan: number): void => model.send({ do: 'choose', plan });
    const left = h(
      'div',
      {},
      drawProgram(facts(), light),
      drawTabs(tabs, state.tab, id, 'rows', show, { 'aria-label': 'Rows' }),
      drawRows(facts(), state, id, does),
      drawCode()
    );
    const aside = drawAside(facts(), plans, chosen, id, choose);
    body.replaceChildren(
      drawHead(`plan ${chosen + 1} of ${plans.length}`),
      alert,
      h('div', { class: 'lv-Split' }, left, aside),
      drawFoot()
    );
    drawBusy();
    restore(focus);
  }

  function drawHead(fact: string): HTMLElement {
    const { derived, keyed, reads, key } = facts();
    const arrow = { class: 'lv-muted', role: 'img', 'aria-label': 'makes' };
    const sign = h('b', { 'aria-hidden': 'true' }, 'ƒ');
    return h(
      'header',
      { class: 'lv-Head' },
      h(
        'p',
        { class: 'lv-Title' },
        icon('lake'),
        h('code', {}, `${derived}.${reads.join(', ')}`),
        h('span', arrow, '→'),
        h('code', {}, `${keyed}.${key}`)
      ),
      h('span', { class: 'lv-Badge lv-is-transform' }, sign, 'transform'),
      h('p', { class: 'lv-Facts' }, fact),
      live
    );
  }

  function drawBusy(): void {
    const busy = model.get('busy');
    const error = model.get('error');
    const [mark, tone, word] = busy
      ? ['half', '', `${busy} …`]
      : error
        ? ['x', 'lv-bad', 'failed']
        : ['check', 'lv-ok', 'exact'];
    live.replaceChildren(icon(mark), word);
    live.className = `lv-Status ${tone}`;
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
  }

  function show(kind: Kind): void {
    Object.assign(state, { tab: kind, active: 0, editing: null });
    draw();
    find(`[id="${id}-${kind}"]`)?.focus();
  }

  function drawCode(): HTMLElement {
    const codes = model.get('codes');
    const text = codes.find(([name]) => name === dialect)?.[1] ?? '';
    const tabs = codes.map<[Dialect, string]>(([name]) => [name, DIALECTS[name]]);
    const choose = (name: Dialect): void => {
      dialect = name;
      draw();
      find(`[id="${id}-${name}"]`)?.focus();
    };
    const look = { class: 'lv-Tabs lv-mod-above', 'aria-label': 'Code' };
    const panel = {
      class: 'lv-Code',
      role: 'tabpanel',
      id: `${id}-code`,
      'aria-labelledby': `${id}-${dialect}`,
      tabindex: 0
    };
    return h('div', {}, drawTabs(tabs, dialect, id, 'code', choose, look), h('pre', panel, text));
  }

  function drawFoot(): HTMLElement {
    const [out, rest, alone] = model.get('sentence');
    const [rows, of] = foot.isAlone ? [alone, ': those without a match'] : [out, ` = ${rest}`];
    const said = h('span', { class: 'lv-muted' }, of);
    foot.show(model.get('how'), model.get('result'), h('b', {}, rows), said);
    return h('div', {}, foot.node, preview ? drawPreview(preview) : null);
  }

  function activate(place: number): void {
    find('.lv-Pair[tabindex="0"]')?.setAttribute('tabindex', '-1');
    state.active = place;
    rowAt(place)?.setAttribute('tabindex', '0');
  }

  function edit(place: number): void {
    if (!rows()[place]) {
      return;
    }
    Object.assign(state, { editing: place, active: place });
    draw();
    const field = root.querySelector<HTMLInputElement>('.lv-Edit');
    field?.focus();
    field?.select();
  }

  function leave(): void {
    state.editing = null;
    draw();
    rowAt(state.active)?.focus();
  }

  function learn(row: Row): void {
    correct(row, root.querySelector<HTMLInputElement>('.lv-Edit')?.value ?? '');
  }

  function correct({ row }: Row, key: string): void {
    state.editing = null;
    model.send({ do: 'correct', row, key });
  }

  function wrong({ row }: Row): void {
    model.send({ do: 'wrong', row });
  }

  /** What has the focus, so that drawing again leaves it there. */
  function focused(): 'row' | string | null {
    const element = document.activeElement;
    if (!element || !root.contains(element)) {
      return null;
    }
    return element.closest('.lv-Pair')
      ? 'row'
      : element.closest('.lv-Alt')
        ? '.lv-Alt[aria-checked="true"]'
        : element.id
          ? `[id="${element.id}"]`
          : null;
  }

  function restore(focus: string | null): void {
    if (focus) {
      const place = Math.min(state.active, rows().length - 1);
      (focus === 'row' ? rowAt(place) : find(focus))?.focus();
    }
  }

  async function take(code: string, then: Said['then']): Promise<void> {
    const end = await offer(root, code, then);
    if (end === 'refused') {
      alert.replaceChildren(drawOffered(code));
      return;
    }
    if (end === 'inserted') {
      foot.inserted();
    }
    const copied = then === 'join' ? 'code copied: paste it into a cell' : 'code copied';
    live.replaceChildren(icon('check'), end === 'inserted' ? 'inserted below' : copied);
  }

  function onKey(event: KeyboardEvent): void {
    if (isForeign(event)) {
      return;
    }
    const target = at(event);
    const row = rows().at(state.active);
    if (target.matches('.lv-Edit')) {
      press(event, { Enter: () => row && learn(row), Escape: leave });
      return;
    }
    if (target.matches('input')) {
      return;
    }
    const line = target.closest('.lv-Pair');
    const plan = target.closest<HTMLElement>('.lv-Alt');
    const back = line
      ? root.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')
      : null;
    press(event, {
      // Out of the rows to their tab, and from there to the cell.
      Escape: () => (back ?? root.closest<HTMLElement>('.jp-Notebook'))?.focus(),
      1: () => show('uncovered'),
      2: () => show('ambiguous'),
      3: () => show('covered'),
      p: send({ do: 'preview' }),
      j: () => foot.join(),
      c: () => foot.copy(),
      ...(target.matches('[role="tab"]') && keysOfTab(target)),
      ...(plan && keysOfPlan(Number(plan.dataset.plan))),
      ...(line && row && keysOfRow(row, target === line))
    });
  }

  function keysOfTab(tab: HTMLElement): Record<string, () => void> {
    const tabs = [...(tab.parentElement?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
    const beside = (step: number) => (): void =>
      tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length].click();
    return { ArrowRight: beside(1), ArrowLeft: beside(-1) };
  }

  function keysOfPlan(plan: number): Record<string, () => void> {
    const last = model.get('alternatives').length - 1;
    const choose = (step: number): (() => void) =>
      send({ do: 'choose', plan: Math.max(0, Math.min(last, plan + step)) });
    return { ArrowDown: choose(1), ArrowUp: choose(-1), ' ': choose(0), Enter: choose(0) };
  }

  function keysOfRow(row: Row, isOnRow: boolean): Record<string, () => void> {
    const move = (step: number) => (): void =>
      rowAt(Math.max(0, Math.min(rows().length - 1, state.active + step)))?.focus();
    return {
      ArrowDown: move(1),
      ArrowUp: move(-1),
      ...(isOnRow && { Enter: () => edit(state.active) }),
      n: () => row.nearest && correct(row, row.nearest[0]),
      x: () => {
        if (state.tab !== 'uncovered') {
          wrong(row);
        }
      }
    };
  }

  function onMessage(said: Said): void {
    if (said.code) {
      void take(said.code, said.then);
    }
    if (said.taken) {
      foot.taken(said.taken);
    }
    if (said.preview) {
      preview = said.preview;
      draw();
    }
  }

  function onFacts(): void {
    preview = null;
    Object.assign(state, { active: 0, editing: null });
    draw();
  }

  const unfollow = follow(model, {
    'change:facts': onFacts,
    'change:sentence': draw,
    'change:codes': draw,
    'change:result': draw,
    'change:alternatives': draw,
    'change:busy': drawBusy,
    'change:error': drawBusy,
    'msg:custom': onMessage
  });
  draw();
  return () => {
    unfollow();
    unwatch();
  };
}

export default { render };
