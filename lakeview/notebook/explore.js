// The widget of lv.explore: draws the model's traits, out of the parts before it. Nothing is loaded from anywhere.

function render({ model, el }) {
  // What is open and marked is known by the hits' ids, so that it stays while an answer gets exact.
  const state = { question: null, sort: 'rank', turn: 1, filter: '', kind: null, onlyMarked: false, marked: new Set(), open: new Map(), active: null, entering: null, held: null };
  const drawn = new Map(); // id -> { group, row, hit }
  const root = h('section', { class: 'lv lv-Explore', 'aria-label': `Joins for ${model.get('frame')}`, 'data-lm-suppress-shortcuts': 'true' });
  const head = h('header', { class: 'lv-Head' });
  const alert = h('div', { role: 'alert' });
  const body = h('div');
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });

  const choosers = h('span', { class: 'lv-Choosers' });
  const filter = h('input', { type: 'search', class: 'lv-Input', placeholder: 'Filter tables and columns', 'aria-label': 'Filter tables and columns',
    oninput: () => { state.filter = filter.value.toLowerCase(); drawGrid(); } });
  const marks = h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': 'false', onclick: () => {
    state.onlyMarked = !state.onlyMarked;
    marks.setAttribute('aria-pressed', String(state.onlyMarked));
    drawGrid();
  } }, 'Marked only');
  const compare = h('button', { type: 'button', class: 'lv-Button', onclick: () => model.send({ do: 'compare', hits: [...state.marked] }) }, 'Compare marked');
  const transform = button('search', 'Transformations', () => model.send({ do: 'transform' }), { title: 'Look for columns that a learned program joins, such as “Doe, Ann” with “Ann Doe”' });
  const kinds = h('span', { role: 'group', 'aria-label': 'Kinds of joins', class: 'lv-Kinds' });
  const reorder = button('up', 'Order changed: update', () => { state.held = null; keepFocus(drawGrid); });
  const cancel = button('stop', 'Cancel', () => model.send({ do: 'cancel' }));
  const tools = h('div', { class: 'lv-Tools' }, choosers, filter, kinds, marks, compare, reorder, h('span', { class: 'lv-Spring' }), transform);
  const keys = h('p', { class: 'lv-Keys' }, ...KEYS.map(([key, text]) =>
    h('span', {}, ...key.split(' ').flatMap(each => [h('kbd', {}, each), ' ']), text)));
  const again = h('p', { class: 'lv-More' }, button('search', 'Look again', () => model.send({ do: 'search' })));
  root.append(head, tools, alert, again, body, keys);
  root.addEventListener('keydown', onKey);
  root.addEventListener('click', onClick);
  root.addEventListener('focusin', ({ target }) => target.matches('.lv-HitRow') && activate(idOf(target)));
  el.append(hideLasting(model), root);

  const names = () => model.get('chosen').map(i => model.get('columns')[i]);

  function drawHead() {
    const { facts = [] } = model.get('answer');
    const [first, ...more] = names();
    const name = more.length ? `${model.get('frame')}.(${[first, ...more].join(', ')})` : `${model.get('frame')}.${first}`;
    head.replaceChildren(
      h('p', { class: 'lv-Title' }, icon('lake'), 'Joins for ', h('code', {}, name)),
      h('p', { class: 'lv-Facts' }, facts.join(' · ')), h('span', { class: 'lv-Spring' }), cancel, live);
  }

  function drawBusy() {
    const busy = model.get('busy');
    cancel.style.visibility = busy ? 'visible' : 'hidden'; // its place is kept: rows do not jump
    const error = model.get('error');
    const answered = model.get('answer').closest !== undefined;
    const exact = model.get('hits').every(hit => hit.exact);
    const [mark, word] = busy ? ['half', `${busy} …`] : error ? ['x', 'failed'] : !answered ? ['stop', 'cancelled'] : exact ? ['check', 'exact'] : ['half', '≈ approximate'];
    live.replaceChildren(icon(mark), answered && busy && !exact ? `≈ approximate · ${word}` : word);
    live.className = `lv-Status ${{ check: 'lv-ok', x: 'lv-bad' }[mark] ?? ''}`;
    again.hidden = Boolean(busy || answered);
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
  }

  function shown() {
    const hits = model.get('hits').filter(hit =>
      (!state.filter || `${hit.table}.${hit.column}`.toLowerCase().includes(state.filter)) &&
      (!state.onlyMarked || state.marked.has(hit.id)) && (!state.kind || hit.kind === state.kind));
    const value = state.held ? hit => state.held.get(hit.id) ?? Infinity : hit => hit[state.sort];
    const turn = state.held ? 1 : state.turn;
    const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.rank - b.rank) * turn;
    // What is out of the ranking stays below whatever is sorted by, accidents last.
    const below = hit => hit.accidental + (hit.accidental && !hit.common);
    return hits.sort((a, b) => below(a) - below(b) || order(a, b));
  }

  function drawGrid() {
    const answer = model.get('answer');
    const hits = model.get('hits');
    drawKinds(kinds, hits, state, drawGrid);
    compare.hidden = !answer.compare || names().length > 1;
    compare.disabled = !state.marked.size;
    transform.hidden = !answer.transform;
    reorder.hidden = !state.held;
    if (answer.closest === undefined) {
      body.replaceChildren();
      return;
    }
    const parts = [];
    const does = { transform: () => model.send({ do: 'transform' }), problems: () => model.send({ do: 'problems' }) };
    if (!hits.length || answer.closest.length) parts.push(drawEmpty(names().join(', '), answer, does));
    if (hits.length) parts.push(drawTable());
    if (answer.possible) parts.push(h('p', { class: 'lv-More' }, answer.possible));
    body.replaceChildren(...parts);
  }

  function drawTable() {
    const hits = shown();
    const ranked = hits.filter(hit => !hit.accidental);
    const common = hits.filter(hit => hit.accidental && hit.common);
    const accidents = hits.filter(hit => hit.accidental && !hit.common);
    if (!hits.some(hit => hit.id === state.active)) activate(hits[0]?.id ?? null);
    const header = h('tr', { role: 'row' }, ...COLUMNS.map(([key, text, name, turn]) => h('th', {
      scope: 'col', role: 'columnheader', class: name,
      'aria-sort': state.sort === key ? (state.turn > 0 ? 'ascending' : 'descending') : 'none'
    }, h('button', { type: 'button', 'data-sort': key, onclick: () => sortBy(key, turn) }, text, state.sort === key ? icon(state.turn > 0 ? 'up' : 'down') : null))));
    const group = (title, note, of) => of.length
      ? [h('tbody', { role: 'rowgroup' }, h('tr', { role: 'row', class: 'lv-Group' }, h('th', { colspan: COLUMNS.length, role: 'rowheader' },
        `${title} (${of.length})`, h('small', {}, note)))), ...of.map(draw)]
      : [];
    const draw = hit => drawn.get(hit.id)?.group ?? drawHit(hit);
    const table = h('table', { class: 'lv-Grid lv-Hits', role: 'grid', 'aria-label': `Ranked joins for ${model.get('frame')}`, 'aria-colcount': COLUMNS.length, 'aria-rowcount': hits.length + 1, 'aria-multiselectable': 'true' },
      h('thead', { role: 'rowgroup' }, header));
    table.append(...ranked.map(draw),
      ...group('Times, flags and categories', 'these join whatever has such values', common),
      ...group('Probably accidental', 'kept out of the ranking; never joined unasked', accidents));
    return h('div', {}, table, hits.length ? null : h('p', { class: 'lv-More' }, 'No hit is left by the filter.'));
  }

  function sortBy(key, turn) {
    state.turn = state.sort === key ? -state.turn : turn;
    state.sort = key;
    state.held = null;
    drawGrid();
    root.querySelector(`[data-sort="${key}"]`)?.focus();
  }

  function drawHit(hit) {
    const group = makeHit(hit);
    const row = group.firstChild;
    row.tabIndex = hit.id === state.active ? 0 : -1;
    row.setAttribute('aria-selected', String(state.marked.has(hit.id)));
    const opened = state.open.get(hit.id);
    if (opened) {
      const does = { choose: how => change(hit, { how, preview: null }), preview: () => act('preview', hit), join: () => act('join', hit), copy: () => act('copy', hit) };
      const detail = drawDetail(hit, `${model.model_id ?? 'lv'}-hit-${hit.rank}`, opened, does);
      const toggle = row.querySelector('button');
      group.classList.add('lv-open');
      toggle.setAttribute('aria-expanded', 'true');
      toggle.setAttribute('aria-controls', detail.id);
      toggle.replaceChildren(icon('down'));
      group.append(detail);
    }
    drawn.set(hit.id, { group, row, hit });
    return group;
  }

  function activate(id) {
    drawn.get(state.active)?.row.setAttribute('tabindex', '-1');
    state.active = id;
    drawn.get(id)?.row.setAttribute('tabindex', '0');
  }

  /** Draw anew, and leave the focus on the part of a hit that had it. */
  function keepFocus(draw) {
    const parts = group => (group ? [...group.querySelectorAll('button, [tabindex]')] : []);
    const group = document.activeElement?.closest('.lv-Hit');
    const place = root.contains(group) ? parts(group).indexOf(document.activeElement) : -1;
    draw();
    if (place < 0) return;
    const fresh = drawn.get(group.dataset.id);
    (parts(fresh?.group)[place] ?? fresh?.row)?.focus({ preventScroll: true });
  }

  /** Draw one hit again. */
  function redraw(id) {
    const old = drawn.get(id);
    if (old) keepFocus(() => old.group.replaceWith(drawHit(old.hit)));
  }

  function change(hit, what) {
    state.open.set(hit.id, { ...state.open.get(hit.id), ...what });
    redraw(hit.id);
  }

  function open(hit) {
    if (state.open.has(hit.id)) return;
    state.open.set(hit.id, { details: null, how: 'left', preview: null });
    model.send({ do: 'details', hit: hit.id });
    redraw(hit.id);
  }

  /** Into the details, as soon as they are there. */
  function enter() {
    const first = drawn.get(state.entering)?.group.querySelector('.lv-DetailRow button');
    if (first) {
      state.entering = null;
      first.focus();
    }
  }

  function mark(id) {
    if (!state.marked.delete(id)) state.marked.add(id);
    compare.disabled = !state.marked.size;
    redraw(id);
  }

  function close(hit) {
    state.open.delete(hit.id);
    redraw(hit.id);
  }

  function act(what, hit) {
    if (what === 'preview') open(hit);
    model.send({ do: what, hit: hit.id, how: state.open.get(hit.id)?.how ?? 'left' });
  }

  /** Code for a cell: through lakeview's extension where it is there, else into the clipboard. */
  function take(code, then) {
    const event = new CustomEvent('lakeview:insert', { detail: { code }, bubbles: true, cancelable: true });
    if (then === 'join' && !root.dispatchEvent(event)) {
      say('inserted below');
      return;
    }
    const copied = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error('no clipboard'));
    copied.then(() => say(then === 'join' ? 'code copied: paste it into a cell' : 'code copied'), () => {
      alert.replaceChildren(h('pre', { class: 'lv-Code', tabindex: 0 }, code)); // to be copied by hand
    });
  }

  function say(text) {
    live.replaceChildren(icon('check'), text);
  }

  /** A click selects a hit; only its triangle opens it. */
  function onClick({ target }) {
    const row = target.closest('.lv-HitRow');
    if (!row) return;
    const { hit } = drawn.get(idOf(row));
    if (!target.closest('button')) row.focus();
    else if (state.open.has(hit.id)) close(hit);
    else open(hit);
  }

  function onKey(event) {
    const inField = event.target.matches('input, select');
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      if (model.get('busy')) model.send({ do: 'cancel' });
      else if (event.target.matches('.lv-HitRow')) root.closest('.jp-Notebook')?.focus();
      else drawn.get(state.active)?.row.focus();
      return;
    }
    const order = [...root.querySelectorAll('.lv-HitRow')];
    const at = order.findIndex(row => row.contains(event.target));
    const active = drawn.get(state.active);
    if (inField || !active) return;
    const onRow = event.target.matches('.lv-HitRow');
    const onButton = event.target.matches('button');
    const keys = {
      p: () => act('preview', active.hit), j: () => act('join', active.hit), c: () => act('copy', active.hit), '/': () => filter.focus(),
      ...(onRow && {
        ArrowDown: () => order[Math.min(at + 1, order.length - 1)].focus(), ArrowUp: () => order[Math.max(at - 1, 0)].focus(),
        Home: () => order[0].focus(), End: () => order.at(-1).focus(),
        ArrowRight: () => open(active.hit), ArrowLeft: () => close(active.hit),
        Enter: () => { state.entering = active.hit.id; open(active.hit); enter(); },
        ' ': () => mark(active.hit.id)
      })
    };
    const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (does && !(onButton && event.key === ' ')) {
      does();
      event.preventDefault();
      event.stopPropagation();
    }
  }

  function onMessage(message) {
    const hit = drawn.get(message.hit)?.hit;
    if (message.code) take(message.code, message.then);
    else if (hit && state.open.has(hit.id)) change(hit, message.details ? { details: message.details } : { preview: message.preview });
    enter();
  }

  /** A new question's answer begins anew; one that got exact takes its place, and rows stay where somebody is among them. */
  function onAnswer() {
    const { question = null } = model.get('answer');
    const ranks = new Map(model.get('hits').map(hit => [hit.id, hit.rank]));
    if (question !== state.question) {
      state.open.clear();
      state.marked.clear();
      Object.assign(state, { question, active: null, held: null });
    } else {
      const before = [...root.querySelectorAll('.lv-HitRow')].map(idOf).filter(id => ranks.has(id));
      state.held = null;
      const after = shown();
      if (before.some((id, i) => id !== after[i]?.id) && body.matches(':hover, :focus-within')) state.held = new Map(before.map((id, i) => [id, i]));
      for (const known of [state.open, state.marked]) for (const id of [...known.keys()]) if (!ranks.has(id)) known.delete(id);
      for (const id of state.open.keys()) model.send({ do: 'details', hit: id });
    }
    const leaving = document.activeElement === transform;
    keepStill(body, drawn, () => keepFocus(() => { drawn.clear(); drawHead(); drawGrid(); drawBusy(); }));
    if (leaving && transform.hidden) drawn.get(state.active)?.row.focus({ preventScroll: true });
  }

  const onChosen = () => { drawChoosers(choosers, model); drawHead(); };
  const onBusy = () => keepStill(body, drawn, drawBusy);
  const events = { 'change:answer': onAnswer, 'change:busy': onBusy, 'change:error': onBusy, 'change:chosen': onChosen, 'msg:custom': onMessage };
  for (const [name, listener] of Object.entries(events)) model.on(name, listener);
  drawChoosers(choosers, model);
  onAnswer();
  return () => {
    for (const [name, listener] of Object.entries(events)) model.off(name, listener);
  };
}

export default { render };
