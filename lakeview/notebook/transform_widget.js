// The widget of lv.explore(plans): one learned join, out of the parts before it. Nothing is loaded from anywhere.

const ROWS = [['uncovered', 'Uncovered'], ['ambiguous', 'Ambiguous'], ['covered', 'Covered']];
const HELP = [['↑ ↓', 'row'], ['Enter', 'correct this output'], ['N', 'use nearest key'], ['X', 'leave unmatched'], ['1 2 3', 'tabs'], ['P', 'preview'], ['J', 'join'], ['C', 'copy code']];
const DIALECTS = { pandas: 'pandas', pyspark: 'PySpark', sql: 'SQL' };
const count = n => n.toLocaleString('en');

/** Pieces of a text, each with the look of the step that took or made it. */
const marked = pieces => h('code', {}, ...pieces.map(([text, step]) =>
  step ? h('mark', { class: 'lv-Op', 'data-op': ((step - 1) % 3) + 1, 'data-step': step }, text) : text));

function renderTransform({ model, el }) {
  const state = { tab: 'uncovered', active: 0, editing: null, dialect: 'pandas', preview: null };
  const root = h('section', { class: 'lv lv-Transform', 'aria-label': 'Join through a transformation', 'data-lm-suppress-shortcuts': 'true' });
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });
  const alert = h('div', { role: 'alert' });
  const body = h('div');
  root.append(body, h('ul', { class: 'lv-Keys', 'aria-label': 'Keyboard' }, ...HELP.map(([keys, text]) =>
    h('li', {}, ...keys.split(' ').flatMap(key => [h('kbd', {}, key), ' ']), text))));
  root.addEventListener('keydown', onKey);
  root.addEventListener('pointerover', ({ target }) => light(target.closest?.('[data-step]')));
  el.append(hideLasting(model), root);

  const facts = () => model.get('facts');
  const rows = () => facts().rows[state.tab];

  /** Hovering or focusing a step lights its part in every row. */
  function light(step) {
    const number = step?.closest('.lv-Program') ? step.dataset.step : null;
    for (const mark of root.querySelectorAll('.lv-Op')) mark.classList.toggle('lv-lit', number !== null && mark.dataset.step === number);
  }

  function draw() {
    const { derived, keyed, reads, key } = facts();
    const all = model.get('alternatives');
    const focus = focused();
    body.replaceChildren(
      h('header', { class: 'lv-Head' },
        h('p', { class: 'lv-Title' }, icon('lake'), h('code', {}, `${derived}.${reads.join(', ')}`), h('span', { class: 'lv-muted', role: 'img', 'aria-label': 'makes' }, '→'), h('code', {}, `${keyed}.${key}`)),
        h('span', { class: 'lv-Badge lv-is-transform' }, h('b', { 'aria-hidden': 'true' }, 'ƒ'), 'transform'),
        h('p', { class: 'lv-Facts' }, `plan ${model.get('chosen') + 1} of ${all.length}`), live),
      alert,
      h('div', { class: 'lv-Split' }, h('div', {}, drawProgram(), drawTabs(), drawRows(), drawCode()), drawAside(all)),
      drawFoot());
    drawBusy();
    restore(focus);
  }

  function drawBusy() {
    const busy = model.get('busy');
    const error = model.get('error');
    const [mark, word] = busy ? ['half', `${busy} …`] : error ? ['x', 'failed'] : ['check', 'exact'];
    live.replaceChildren(icon(mark), word);
    live.className = `lv-Status ${{ check: 'lv-ok', x: 'lv-bad' }[mark] ?? ''}`;
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
  }

  function drawProgram() {
    const { derived, steps, more } = facts();
    const example = [...facts().rows.covered, ...facts().rows.ambiguous][0];
    return h('div', { class: 'lv-Block' },
      h('p', { class: 'lv-Sub' }, 'The program: how a key is made from ', h('code', {}, derived)),
      h('ol', { class: 'lv-Program' }, ...steps.map((text, i) => h('li', {},
        h('mark', { class: 'lv-Op', 'data-op': (i % 3) + 1, 'data-step': i + 1, tabindex: 0, onfocus: ({ target }) => light(target), onblur: () => light(null) },
          h('span', { class: 'lv-Op-n' }, String(i + 1)), text)))),
      ...more.map(line => h('p', { class: 'lv-More-rule' }, line)),
      example ? h('p', { class: 'lv-Ex' }, marked(example.before), ' → ', marked(example.after), ' = ', h('span', { class: 'lv-ok' }, icon('check', 'a key')), ' ', h('code', {}, example.keys[0])) : null);
  }

  function drawTabs() {
    return h('div', { class: 'lv-Tabs', role: 'tablist', 'aria-label': 'Rows' }, ...ROWS.map(([kind, name]) => h('button', {
      type: 'button', role: 'tab', class: 'lv-Tab', id: `${id}-${kind}`, 'aria-controls': `${id}-rows`, 'aria-selected': String(state.tab === kind), tabindex: state.tab === kind ? 0 : -1,
      onclick: () => show(kind) }, `${name} (${count(facts().counts[kind])})`)));
  }

  function show(kind) {
    Object.assign(state, { tab: kind, active: 0, editing: null });
    draw();
    root.querySelector(`[id="${id}-${kind}"]`).focus();
  }

  function drawRows() {
    const { derived, keyed, counts } = facts();
    const heads = [`Before: ${derived}`, 'After the program', state.tab === 'uncovered' ? `Key of ${keyed}` : `Meets in ${keyed}`, 'Correct'];
    const left = counts[state.tab] - rows().length;
    return h('div', { role: 'tabpanel', id: `${id}-rows`, 'aria-labelledby': `${id}-${state.tab}` },
      rows().length
        ? h('table', { class: 'lv-Pairs', role: 'grid', 'aria-label': `${state.tab} rows` },
          h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...heads.map(head => h('th', { role: 'columnheader', scope: 'col' }, head)))),
          h('tbody', { role: 'rowgroup' }, ...rows().map(drawRow)))
        : h('p', { class: 'lv-None' }, { uncovered: 'Every row meets a key.', ambiguous: 'No row meets more than one row.', covered: 'No row meets a single key.' }[state.tab]),
      left > 0 ? h('p', { class: 'lv-None' }, `${count(left)} more`) : null);
  }

  function drawRow(row, i) {
    const editing = state.editing === i;
    const actions = h('div', { class: 'lv-Actions' });
    if (editing) actions.append(button('check', 'Learn again', () => learn(row), { class: 'lv-Button lv-mod-accept' }));
    else {
      if (row.nearest) actions.append(h('button', { type: 'button', class: 'lv-Button', tabindex: -1, onclick: () => correct(row, row.nearest[0]) }, 'Use nearest'));
      else if (state.tab !== 'uncovered') actions.append(h('button', { type: 'button', class: 'lv-Button', tabindex: -1, onclick: () => edit(i) }, 'Edit'));
      if (state.tab !== 'uncovered') actions.append(h('button', { type: 'button', class: 'lv-Button lv-mod-icon', tabindex: -1, 'aria-label': 'This pair is wrong: leave unmatched', title: 'Leave unmatched', onclick: () => wrong(row) }, icon('x')));
    }
    return h('tr', { role: 'row', class: `lv-Pair${editing ? ' lv-mod-edit' : ''}`, tabindex: i === state.active ? 0 : -1, 'data-i': i, ondblclick: () => edit(i), onfocusin: () => activate(i) },
      h('td', { role: 'gridcell' }, marked(row.before)),
      h('td', { role: 'gridcell' }, editing
        ? h('input', { class: 'lv-Input lv-Edit', value: row.nearest?.[0] ?? row.made, 'aria-label': 'The key that this row should join' })
        : row.after.length ? marked(row.after) : h('span', { class: 'lv-muted' }, 'makes nothing')),
      h('td', { role: 'gridcell' }, ...(editing
        ? [h('kbd', {}, 'Enter'), ' learn again with this example ', h('kbd', {}, 'Esc'), ' keep it as it was']
        : drawKeys(row))),
      h('td', { role: 'gridcell' }, actions));
  }

  function drawKeys(row) {
    if (state.tab === 'uncovered')
      return row.nearest
        ? [h('span', { class: 'lv-bad' }, icon('x', 'no such key')), h('span', { class: 'lv-muted' }, ' nearest '), h('code', {}, row.nearest[0]), h('span', { class: 'lv-muted' }, ` ${row.nearest[1].toFixed(2)}`)]
        : [h('span', { class: 'lv-bad' }, icon('x', 'no such key')), h('span', { class: 'lv-muted' }, ' nothing like it')];
    const more = row.meets - row.keys.length;
    return [h('span', { class: row.meets > 1 ? 'lv-warn' : 'lv-ok' }, icon(row.meets > 1 ? 'warn' : 'check', row.meets > 1 ? `meets ${row.meets} rows` : 'meets')), ' ',
      ...row.keys.flatMap((key, n) => [n ? h('br', { class: 'lv-Break' }) : '', h('code', {}, key)]), more > 0 ? h('span', { class: 'lv-muted' }, ` and ${more} more`) : ''];
  }

  function drawCode() {
    const codes = model.get('codes');
    const text = (codes.find(([name]) => name === state.dialect) ?? [])[1] ?? '';
    return h('div', {},
      h('div', { class: 'lv-Tabs lv-mod-above', role: 'tablist', 'aria-label': 'Code' }, ...codes.map(([name]) => h('button', {
        type: 'button', role: 'tab', class: 'lv-Tab', id: `${id}-${name}`, 'aria-controls': `${id}-code`, 'aria-selected': String(name === state.dialect), tabindex: name === state.dialect ? 0 : -1,
        onclick: () => { state.dialect = name; draw(); root.querySelector(`[id="${id}-${name}"]`).focus(); } }, DIALECTS[name]))),
      h('pre', { class: 'lv-Code', role: 'tabpanel', id: `${id}-code`, 'aria-labelledby': `${id}-${state.dialect}`, tabindex: 0 }, text));
  }

  /** A stacked bar with its legend; the sentence is its label. */
  function cover(title, parts, all) {
    const sentence = `${title}: ${parts.map(([, n, text]) => `${count(n)} ${text}`).join('; ')}`;
    return h('div', { class: 'lv-Cover' },
      h('p', {}, h('span', {}, title), h('span', {}, `${count(parts[0][1] + parts[1][1])} of ${count(all)}`)),
      h('div', { class: 'lv-Stack', role: 'img', 'aria-label': sentence }, ...parts.filter(([, n]) => n).map(([look, n]) => h('span', { class: look, style: `flex:${n}` }))),
      h('ul', { class: 'lv-Legend' }, ...parts.map(([look, n, text]) => h('li', {}, h('i', { class: look, 'aria-hidden': 'true' }), `${count(n)} ${text}`))));
  }

  function drawAside(all) {
    const { derived, keyed, counts, keys } = facts();
    const sum = values => Object.values(values).reduce((a, b) => a + b, 0);
    return h('div', { class: 'lv-Aside' },
      h('p', { class: 'lv-Sub' }, 'Coverage'),
      cover(`Rows of ${derived}`, [['a', counts.covered, 'covered'], ['b', counts.ambiguous, 'ambiguous'], ['z', counts.uncovered, 'uncovered']], sum(counts)),
      cover(`Rows of ${keyed}`, [['a', keys.once, 'met once'], ['b', keys.several, 'met several times'], ['z', keys.never, 'not met']], sum(keys)),
      h('p', { class: 'lv-Sub', id: `${id}-alt` }, 'Programs, best first'),
      h('div', { role: 'radiogroup', 'aria-labelledby': `${id}-alt` }, ...all.map((each, i) => h('div', {
        class: 'lv-Alt', role: 'radio', 'aria-checked': String(i === model.get('chosen')), tabindex: i === model.get('chosen') ? 0 : -1, 'data-plan': i,
        onclick: () => model.send({ do: 'choose', plan: i }) },
        h('span', { class: 'lv-Radio', 'aria-hidden': 'true' }), h('span', {}, each.title), h('span', { class: 'lv-num' }, each.rows), h('small', {}, each.note)))));
  }

  function drawFoot() {
    const [out, rest] = model.get('sentence');
    const choose = how => h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': String(model.get('how') === how), onclick: () => model.send({ do: 'how', how }) }, how);
    return h('div', {},
      h('div', { class: 'lv-Foot' }, h('span', { class: 'lv-Segmented', role: 'group', 'aria-label': 'Kind of join' }, choose('left'), choose('inner')),
        h('span', {}, h('b', {}, out), h('span', { class: 'lv-muted' }, ` = ${rest}`)), h('span', { class: 'lv-Spring' }),
        button('copy', 'Copy code', () => model.send({ do: 'copy' })), button('eye', 'Preview', () => model.send({ do: 'preview' })),
        button('join', 'Join', () => model.send({ do: 'join' }), { class: 'lv-Button lv-mod-accept' })),
      state.preview ? drawPreview(state.preview) : null);
  }

  const activate = i => {
    root.querySelector('.lv-Pair[tabindex="0"]')?.setAttribute('tabindex', '-1');
    state.active = i;
    root.querySelector(`.lv-Pair[data-i="${i}"]`)?.setAttribute('tabindex', '0');
  };
  const rowAt = i => root.querySelector(`.lv-Pair[data-i="${i}"]`);

  function edit(i) {
    if (!rows()[i]) return;
    Object.assign(state, { editing: i, active: i });
    draw();
    const field = root.querySelector('.lv-Edit');
    field.focus();
    field.select();
  }

  function leave() {
    state.editing = null;
    draw();
    rowAt(state.active)?.focus();
  }

  const learn = row => correct(row, root.querySelector('.lv-Edit').value);
  function correct(row, key) {
    state.editing = null;
    model.send({ do: 'correct', row: row.row, key });
  }
  const wrong = row => model.send({ do: 'wrong', row: row.row });

  /** What has the focus, so that drawing again leaves it there. */
  function focused() {
    const at = document.activeElement;
    if (!root.contains(at)) return null;
    return at.closest('.lv-Pair') ? 'row' : at.closest('.lv-Alt') ? '.lv-Alt[aria-checked="true"]' : at.id ? `[id="${at.id}"]` : null;
  }
  const restore = focus => focus && (focus === 'row' ? rowAt(Math.min(state.active, rows().length - 1)) : root.querySelector(focus))?.focus();

  function take(code, then) {
    const event = new CustomEvent('lakeview:insert', { detail: { code }, bubbles: true, cancelable: true });
    if (then === 'join' && !root.dispatchEvent(event)) return say('inserted below');
    const copied = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error('no clipboard'));
    return copied.then(() => say(then === 'join' ? 'code copied: paste it into a cell' : 'code copied'),
      () => alert.replaceChildren(h('pre', { class: 'lv-Code', tabindex: 0 }, code)));
  }
  const say = text => live.replaceChildren(icon('check'), text);

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const field = event.target.matches('input');
    const row = rows()[state.active];
    const inRow = event.target.closest('.lv-Pair');
    const tab = event.target.matches('[role="tab"]');
    const move = step => rowAt(Math.max(0, Math.min(rows().length - 1, state.active + step)))?.focus();
    const beside = step => {
      const tabs = [...event.target.parentElement.querySelectorAll('[role="tab"]')];
      tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length].click();
    };
    const plan = event.target.closest('.lv-Alt');
    const choose = step => model.send({ do: 'choose', plan: Math.max(0, Math.min(model.get('alternatives').length - 1, Number(plan.dataset.plan) + step)) });
    const keys = field
      ? { Enter: () => learn(row), Escape: leave }
      : {
          1: () => show('uncovered'), 2: () => show('ambiguous'), 3: () => show('covered'),
          p: () => model.send({ do: 'preview' }), j: () => model.send({ do: 'join' }), c: () => model.send({ do: 'copy' }),
          ...(tab && { ArrowRight: () => beside(1), ArrowLeft: () => beside(-1) }),
          ...(plan && { ArrowDown: () => choose(1), ArrowUp: () => choose(-1), ' ': () => choose(0), Enter: () => choose(0) }),
          ...(inRow && row && {
            ArrowDown: () => move(1), ArrowUp: () => move(-1),
            ...(event.target === inRow && { Enter: () => edit(state.active) }),
            n: () => row.nearest && correct(row, row.nearest[0]), x: () => state.tab !== 'uncovered' && wrong(row)
          })
        };
    const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    does();
    event.preventDefault();
    event.stopPropagation();
  }

  const onMessage = message => {
    if (message.code) take(message.code, message.then);
    if (message.preview) {
      state.preview = message.preview;
      draw();
    }
  };
  const onFacts = () => { Object.assign(state, { preview: null, active: 0, editing: null }); draw(); };
  const id = `lv-t${Math.random().toString(36).slice(2)}`;
  const events = { 'change:facts': onFacts, 'change:sentence': draw, 'change:codes': draw, 'change:alternatives': draw, 'change:busy': drawBusy, 'change:error': drawBusy, 'msg:custom': onMessage };
  for (const [name, listener] of Object.entries(events)) model.on(name, listener);
  draw();
  return () => {
    for (const [name, listener] of Object.entries(events)) model.off(name, listener);
  };
}

export default { render: renderTransform };
