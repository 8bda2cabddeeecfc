// The widget of a fuzzy join's plan: the handle on the curve, the pairs on either side of it, judgements.

const FUZZY_KEYS = [['← →', 'threshold by 0.01'], ['PgUp PgDn', 'by 0.05'], ['A', 'back to the advised one'], ['↑ ↓', 'pair'], ['Y N', 'judge'], ['U', 'undo'], ['P', 'preview'], ['J', 'join'], ['C', 'copy code']];
const CHOICES = [['tokeniser', 'Pieces', {}], ['measure', 'Measure', { jaro_winkler: 'Jaro-Winkler', edit: 'edit distance' }], ['cardinality', 'Keep', { 'N:1': 'best match (N:1)', '1:1': '1:1' }]];
const SIDES = [['above', 'up', 'Just above: joined', 'the doubtful first'], ['below', 'down', 'Just below: left out', 'the nearest first']];

/** Two texts, what they do not share marked; by what they begin and end with. */
function marked(left, right) {
  let from = 0;
  while (from < Math.min(left.length, right.length) && left[from] === right[from]) from++;
  let back = 0;
  while (back < Math.min(left.length, right.length) - from && left.at(-1 - back) === right.at(-1 - back)) back++;
  const one = (text, tag) => [text.slice(0, from), h(tag, {}, text.slice(from, text.length - back)), text.slice(text.length - back)];
  return [h('span', {}, ...one(left, 'del')), h('span', {}, ...one(right, 'ins'))];
}

function renderFuzzy({ model, el }) {
  const state = { step: 0, active: null, curveShown: false };
  const [left, right] = model.get('names');
  const root = h('section', { class: 'lv lv-Explore lv-Fuzzy', 'aria-label': `Fuzzy join of ${left} and ${right}`, 'data-lm-suppress-shortcuts': 'true' });
  const live = h('span', { role: 'status', class: 'lv-Status' });
  const head = h('header', { class: 'lv-Head' });
  const chart = g('svg', { class: 'lv-Chart', viewBox: '0 0 800 490', role: 'group', 'aria-label': 'Pairs at each threshold, and the expected precision' });
  const moving = { line: g('line', { y1: CHART.top - 4, y2: CHART.low }), ring: g('circle', { class: 'ring', r: 11 }), knob: g('circle', { r: 7 }), whisker: g('path', { class: 'wh' }), dot: g('circle', { r: 3.5 }) };
  const handle = g('g', { class: 'handle', role: 'slider', tabindex: 0, 'aria-label': 'Similarity threshold' }, ...Object.values(moving));
  const box = g('g', { class: 'box' }, g('rect', { class: 'callout', width: 250, height: 62, rx: 2 }), ...[19, 36, 52].map(y => g('text', { x: 10, y })));
  const table = h('div', { class: 'lv-CurveTable' });
  const tableButton = h('button', { type: 'button', class: 'lv-Button lv-mod-plain', 'aria-expanded': 'false', onclick: () => { state.curveShown = !state.curveShown; drawTable(); } }, icon('table'), 'Curve as table');
  const aside = h('div', { class: 'lv-Aside' });
  const included = h('div');
  const target = h('input', { class: 'lv-Input', type: 'number', min: 0.5, max: 1, step: 0.01, 'aria-label': 'Precision to aim for', onchange: () => model.send({ do: 'advise', precision: Math.min(1, Math.max(0.01, Number(target.value))) }) });
  const sides = h('div', { class: 'lv-Sides' });
  const foot = h('div', { class: 'lv-Foot' });
  const sentence = h('span', {});
  const alert = h('div', { role: 'alert' });
  const preview = h('div');
  const hows = ['left', 'inner'].map(how => h('button', { type: 'button', class: 'lv-Button', onclick: () => model.send({ do: 'how', how }) }, how));
  const reset = h('button', { type: 'button', class: 'lv-Button', onclick: () => model.send({ do: 'advise' }) }, 'Reset to advice');
  foot.append(h('span', { class: 'lv-Segmented', role: 'group', 'aria-label': 'Kind of join' }, ...hows), sentence, h('span', { class: 'lv-Spring' }), reset,
    button('eye', 'Preview', () => model.send({ do: 'preview' })), button('copy', 'Copy code', () => model.send({ do: 'copy' })),
    button('join', 'Join', () => model.send({ do: 'join' }), { class: 'lv-Button lv-mod-accept' }));
  root.append(head, h('div', { class: 'lv-Split' }, h('div', { class: 'lv-Plot' }, chart, tableButton, table), aside), sides, alert, foot, preview,
    h('ul', { class: 'lv-Keys', 'aria-label': 'Keyboard' }, ...FUZZY_KEYS.map(([keys, words]) => h('li', {}, ...keys.split(' ').flatMap(key => [h('kbd', {}, key), ' ']), words))));
  root.addEventListener('keydown', onKey);
  chart.addEventListener('pointerdown', onDrag);
  el.append(hideLasting(model), root);

  const facts = () => model.get('facts');
  const advice = () => model.get('advice');
  const threshold = () => facts().thresholds[state.step];
  const shown = t => (Number.isInteger(t) && t > 1 ? String(t) : t.toFixed(2));
  let at = null;
  let saving = null;

  const nearest = t => facts().thresholds.reduce((best, each, i, all) => (Math.abs(each - t) < Math.abs(all[best] - t) - 1e-9 ? i : best), 0);
  const isAdvised = () => advice().reached && Math.abs(advice().threshold - threshold()) < 1e-6;
  /** Nothing is joined unasked: until the handle moves, a plan without advice joins none but what was accepted. */
  const joins = () => model.get('joins') || state.moved;

  function drawAll() {
    const words = facts();
    state.step = nearest(model.get('threshold'));
    state.moved = false;
    const drawn = drawCurve(words, model.get('unit'), advice().target, `${model.model_id ?? 'lv'}-hatch`);
    at = drawn.at;
    chart.replaceChildren(...drawn.parts, handle, box);
    head.replaceChildren(
      h('p', { class: 'lv-Title' }, icon('lake'), h('code', {}, left), h('span', { class: 'lv-muted', role: 'img', 'aria-label': 'is like' }, '≈'), h('code', {}, right)),
      h('span', { class: 'lv-Badge lv-is-fuzzy' }, h('b', { 'aria-hidden': 'true' }, '≈'), 'fuzzy'),
      h('p', { class: 'lv-Facts' }, `${whole(words.leftRows)} × ${whole(words.rightRows)} rows · joined from ${shown(words.thresholds[0])} up`), live);
    if (document.activeElement !== target) target.value = (advice().target ?? 0.9).toFixed(2);
    drawAside();
    drawTable();
    drawMoving();
  }

  function choose(name, select) {
    live.replaceChildren(icon('info'), 'comparing …');
    model.send(name === 'cardinality' ? { do: 'keep', cardinality: select.value } : { do: 'compare', [name]: select.value });
  }

  function drawChoice([name, label, words]) {
    const { value, options } = model.get('choices')[name];
    const select = h('select', { class: 'lv-Input', 'data-choice': name, onchange: () => choose(name, select) }, ...options.map(each => h('option', { value: each, selected: each === value ? '' : null }, words[each] ?? each)));
    return h('label', { class: 'lv-Field' }, h('span', {}, label), select);
  }

  function drawAside() {
    const focus = aside.contains(document.activeElement) && document.activeElement.dataset.choice;
    const [yes, no] = model.get('judged');
    const chosen = advice().reached ? h('span', { class: 'lv-ok' }, icon('check'), ' chosen for you') : null;
    aside.replaceChildren(
      h('p', { class: 'lv-Sub' }, 'Aim'), h('label', { class: 'lv-Field' }, h('span', {}, 'Precision'), target, h('small', {}, 'or drag the handle to set the threshold')),
      h('p', { class: 'lv-Sub' }, 'How values are compared'), h('p', {}, model.get('unit')), ...CHOICES.map(drawChoice), ...(chosen ? [chosen] : []), included,
      h('p', { class: 'lv-Sub' }, 'How sure, and from what'),
      h('ul', { class: 'lv-Why' }, ...model.get('evidence').map(line => h('li', {}, line)), yes + no ? null : h('li', {}, 'nothing judged by you yet')));
    if (focus) aside.querySelector(`[data-choice="${focus}"]`).focus();
  }

  function drawTable() {
    tableButton.setAttribute('aria-expanded', String(state.curveShown));
    const columns = [['Threshold', p => shown(p.threshold)], ['Pairs', p => (p.exact ? '' : '≈ ') + whole(p.pairs)], ['95 %', p => (p.exact ? 'counted' : `${whole(p.low)}–${whole(p.high)}`)], ['Rows out, all pairs kept', p => whole(p.out)]];
    table.replaceChildren(...(state.curveShown ? [h('table', { class: 'lv-Grid' }, h('thead', {}, h('tr', {}, ...columns.map(([name]) => h('th', { scope: 'col', class: 'lv-num' }, name)))),
      h('tbody', {}, ...facts().curve.map(point => h('tr', {}, ...columns.map(([, cell]) => h('td', { class: 'lv-num' }, cell(point)))))))] : []));
  }

  /** What follows the handle: nothing here asks the kernel. */
  function drawMoving() {
    const words = facts();
    const t = threshold();
    const joined = joins() ? words.joined[state.step] : 0;
    const used = joins() ? words.used[state.step] : 0;
    const expected = words.precision[state.step] ?? [];
    const pairs = pairsAt(words.curve, t);
    const x = at.x(t);
    const y = pairs ? at.y(pairs.pairs) : (CHART.top + CHART.base) / 2;
    for (const [name, value] of Object.entries({ x1: x, x2: x })) moving.line.setAttribute(name, value);
    for (const circle of [moving.ring, moving.knob, moving.dot]) circle.setAttribute('cx', x);
    for (const circle of [moving.ring, moving.knob]) circle.setAttribute('cy', y);
    moving.dot.setAttribute('cy', expected.length ? at.p(expected[0]) : CHART.low);
    moving.whisker.setAttribute('d', expected.length ? `M${x - 5} ${at.p(expected[1])}h10M${x - 5} ${at.p(expected[2])}h10` : '');
    const sure = expected.length ? `precision ≈ ${expected[0].toFixed(2)} (${expected[1].toFixed(2)}–${expected[2].toFixed(2)})` : 'precision unknown';
    const title = `${shown(t)}${isAdvised() ? ', advised' : joins() ? ', set by hand' : ', the best there is'}`;
    const lines = [title, sure, `${pairs ? `${pairs.about ? '≈ ' : ''}${whole(pairs.pairs)} pairs; ` : ''}${whole(joined)} best matches kept`];
    box.setAttribute('transform', `translate(${x + 272 > CHART.right ? x - 262 : x + 12} 22)`);
    lines.forEach((words, i) => { box.children[i + 1].textContent = words; });
    const out = model.get('how') === 'left' ? words.leftRows : joined;
    const spoken = { 'aria-valuemin': words.thresholds[0], 'aria-valuemax': words.thresholds.at(-1), 'aria-valuenow': t,
      'aria-valuetext': `${title}. ${expected.length ? `Precision about ${expected[0].toFixed(2)}, between ${expected[1].toFixed(2)} and ${expected[2].toFixed(2)}` : 'Precision unknown'}. ${whole(joined)} rows matched, ${whole(out)} rows out.` };
    for (const [name, value] of Object.entries(spoken)) handle.setAttribute(name, value);
    const cover = (name, part, all, yes, no) => h('div', { class: 'lv-Cover' }, h('div', {}, h('code', {}, name), h('b', {}, `${whole(part)} of ${whole(all)}`)),
      h('div', { class: 'lv-Stack', role: 'img', 'aria-label': `${name}: ${whole(part)} ${yes}; ${whole(all - part)} ${no}` }, h('span', { class: 'a', style: `flex:${part}` }), h('span', { class: 'z', style: `flex:${all - part}` })),
      h('p', { class: 'lv-sub' }, `■ ${whole(part)} ${yes} · □ ${whole(all - part)} ${no}`));
    included.replaceChildren(h('p', { class: 'lv-Sub' }, `Included at ${shown(t)}`), cover(left, joined, words.leftRows, 'joined', 'left out'), cover(right, used, words.rightRows, 'used', 'unused'));
    sentence.replaceChildren(h('b', {}, `${whole(out)} rows out`), h('span', { class: 'lv-muted' }, ` = ${whole(joined)} matched${model.get('how') === 'left' ? ` + ${whole(words.leftRows - joined)} unmatched` : ''}`));
    hows.forEach(each => each.setAttribute('aria-pressed', String(each.textContent === model.get('how'))));
    const { target: aim, reached } = advice();
    const [mark, tone, said] = aim === undefined ? ['check', '', 'set by hand'] : !reached ? ['warn', 'lv-warn', `no threshold reaches ${aim.toFixed(2)}${joins() ? '' : ': nothing is joined'}`] : isAdvised() ? ['check', 'lv-ok', `target ${aim.toFixed(2)} reached at ${shown(t)}`] : ['info', '', `set by hand; advised: ${shown(advice().threshold)}`];
    live.className = `lv-Status ${tone}`;
    live.replaceChildren(icon(mark), said);
    reset.disabled = isAdvised();
    drawSides();
  }

  function drawSides() {
    const words = facts();
    const focus = document.activeElement?.closest?.('.lv-Pair')?.dataset.key;
    sides.replaceChildren(...SIDES.map(([side, mark, title, order]) => {
      const rows = words[side][state.step].map((number, place) => drawPair(words.pairs[number], number, `${side}-${place}`));
      return h('section', { 'aria-label': title }, h('p', { class: 'lv-H' }, icon(mark), h('b', {}, title), h('span', { class: 'lv-muted' }, order)),
        rows.length ? h('table', { class: 'lv-Grid lv-Sim', role: 'grid', 'aria-label': `Pairs ${title.toLowerCase()}` },
          h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...['Alike', `${left} / ${right}`, 'Runner-up', 'Same?'].map((name, i) => h('th', { scope: 'col', role: 'columnheader', class: i === 2 ? 'lv-num' : null }, name)))),
          h('tbody', { role: 'rowgroup' }, ...rows)) : h('p', { class: 'lv-More' }, 'No pair lies here.'));
    }));
    const first = sides.querySelector(`[data-key="${state.active}"]`) ?? sides.querySelector('.lv-Pair');
    if (first) first.tabIndex = 0;
    if (focus) (sides.querySelector(`[data-key="${focus}"]`) ?? first)?.focus();
  }

  function drawPair({ left: one, right: other, similarity, runner, verdict }, number, key) {
    const ahead = similarity - runner;
    const choose = (say, mark, words) => h('button', { type: 'button', class: `lv-Button lv-${say}`, tabindex: -1, 'aria-pressed': String(verdict === say), onclick: () => judge(number, verdict === say ? '' : say) }, icon(mark), words);
    return h('tr', { role: 'row', class: `lv-Pair${verdict === 'no' ? ' lv-mod-no' : ''}`, tabindex: -1, 'data-pair': number, 'data-key': key, onfocus: () => { state.active = key; } },
      h('td', { role: 'gridcell' }, similarity > 1 ? String(similarity) : similarity.toFixed(3)), h('td', { role: 'gridcell', class: 'lv-Two' }, ...marked(one, other)),
      h('td', { role: 'gridcell', class: 'lv-num' }, runner ? (runner > 1 ? String(runner) : runner.toFixed(3)) : '–', h('span', { class: 'lv-sub' }, !runner ? 'none' : ahead < 0.005 ? 'level' : ahead < 0.1 ? 'close' : 'far')),
      h('td', { role: 'gridcell' }, h('div', { class: 'lv-Judge lv-Segmented', role: 'group', 'aria-label': 'Is this pair right?' }, choose('yes', 'check', 'Yes'), choose('no', 'x', 'No'))));
  }

  function judge(pair, verdict) {
    settle();
    model.send({ do: 'judge', pair, verdict });
  }

  /** Move the handle; the plan follows when it rests. */
  function move(step) {
    state.step = Math.min(Math.max(step, 0), facts().thresholds.length - 1);
    state.moved = true;
    drawMoving();
    clearTimeout(saving);
    saving = setTimeout(settle, 200);
  }

  function settle() {
    clearTimeout(saving);
    if (!state.moved) return;
    model.set('threshold', threshold());
    model.save_changes();
  }

  function onDrag(event) {
    if (event.button !== 0) return;
    const follow = ({ clientX }) => {
      const { left: from, width } = chart.getBoundingClientRect();
      move(nearest(at.t(((clientX - from) * 800) / width)));
    };
    handle.focus();
    follow(event);
    event.preventDefault();
    chart.setPointerCapture(event.pointerId);
    chart.addEventListener('pointermove', follow);
    chart.addEventListener('lostpointercapture', () => { chart.removeEventListener('pointermove', follow); settle(); }, { once: true });
  }

  const by = amount => {
    const to = nearest(threshold() + amount);
    move(to === state.step ? to + Math.sign(amount) : to);
  };

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches('input, select')) return;
    const unit = at.to > 1 ? 100 : 1;
    const order = [...sides.querySelectorAll('.lv-Pair')];
    const place = order.indexOf(event.target.closest('.lv-Pair'));
    const pair = order[place];
    const slide = { ArrowLeft: () => by(-0.01 * unit), ArrowRight: () => by(0.01 * unit), ArrowDown: () => by(-0.01 * unit), ArrowUp: () => by(0.01 * unit), PageUp: () => by(0.05 * unit), PageDown: () => by(-0.05 * unit), Home: () => move(0), End: () => move(Infinity) };
    const onPair = { ArrowDown: () => order[Math.min(place + 1, order.length - 1)].focus(), ArrowUp: () => order[Math.max(place - 1, 0)].focus(), y: () => judge(Number(pair.dataset.pair), 'yes'), n: () => judge(Number(pair.dataset.pair), 'no') };
    const keys = { a: () => model.send({ do: 'advise' }), u: () => model.send({ do: 'undo' }), p: () => model.send({ do: 'preview' }), j: () => model.send({ do: 'join' }), c: () => model.send({ do: 'copy' }),
      Escape: () => (pair ? handle : root.closest('.jp-Notebook'))?.focus(), ...(event.target === handle && slide), ...(pair && onPair) };
    const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    does();
    event.preventDefault();
    event.stopPropagation();
  }

  function take(code, then) {
    const event = new CustomEvent('lakeview:insert', { detail: { code }, bubbles: true, cancelable: true });
    if (then === 'join' && !root.dispatchEvent(event)) return;
    const copied = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error('no clipboard'));
    copied.then(() => live.replaceChildren(icon('check'), 'code copied'), () => alert.replaceChildren(h('pre', { class: 'lv-Code', tabindex: 0 }, code)));
  }

  const onMessage = message => (message.code ? take(message.code, message.then) : preview.replaceChildren(drawPreview(message.preview)));
  const onError = () => {
    alert.replaceChildren(...(model.get('error') ? [h('p', { class: 'lv-Alert' }, model.get('error'))] : []));
    drawAll(); // a choice that was refused goes back
  };
  // While the handle moves on, what comes back of an earlier place changes nothing.
  const onThreshold = () => { if (Math.abs(model.get('threshold') - threshold()) > 1e-9) drawAll(); };
  const events = { 'change:facts': drawAll, 'change:advice': drawAll, 'change:choices': drawAll, 'change:threshold': onThreshold, 'change:joins': drawMoving, 'change:how': drawMoving, 'change:evidence': drawAside, 'change:judged': drawAside, 'change:error': onError, 'msg:custom': onMessage };
  for (const [name, listener] of Object.entries(events)) model.on(name, listener);
  drawAll();
  return () => {
    clearTimeout(saving);
    for (const [name, listener] of Object.entries(events)) model.off(name, listener);
  };
}

export default { render: renderFuzzy };
