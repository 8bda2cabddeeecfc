// The widget of lv.explore: draws the model's traits, out of the parts before it. Nothing is loaded from anywhere.

function render({ model, el }) {
  const state = { sort: 'rank', turn: 1, filter: '', onlyMarked: false, marked: new Set(), open: new Map(), active: null, entering: null };
  const drawn = new Map(); // rank -> { body, row }
  const root = h('section', { class: 'lv lv-Explore', 'aria-label': `Joins for ${model.get('frame')}`, 'data-lm-suppress-shortcuts': 'true' });
  const head = h('header', { class: 'lv-Head' });
  const alert = h('div', { role: 'alert' });
  const body = h('div');
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });

  const chooser = h('select', { class: 'lv-Input', 'aria-label': `Column of ${model.get('frame')}`, onchange: () => {
    model.set('column', Number(chooser.value));
    model.save_changes();
  } }, ...model.get('columns').map((name, i) => h('option', { value: i }, name)));
  const filter = h('input', { type: 'search', class: 'lv-Input', placeholder: 'Filter tables and columns', 'aria-label': 'Filter tables and columns',
    oninput: () => { state.filter = filter.value.toLowerCase(); drawGrid(); } });
  const marks = h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': 'false', onclick: () => {
    state.onlyMarked = !state.onlyMarked;
    marks.setAttribute('aria-pressed', String(state.onlyMarked));
    drawGrid();
  } }, 'Marked only');
  const cancel = button('stop', 'Cancel', () => model.send({ do: 'cancel' }));
  const tools = h('div', { class: 'lv-Tools' }, h('label', {}, `${model.get('frame')} · `, chooser), filter, marks, h('span', { class: 'lv-Spring' }), cancel);
  const keys = h('p', { class: 'lv-Keys' }, ...KEYS.map(([key, text]) =>
    h('span', {}, ...key.split(' ').flatMap(each => [h('kbd', {}, each), ' ']), text)));
  const again = h('p', { class: 'lv-More' }, button('search', 'Look again', () => model.send({ do: 'search' })));
  root.append(head, tools, alert, again, body, keys);
  root.addEventListener('keydown', onKey);
  root.addEventListener('click', onClick);
  root.addEventListener('focusin', ({ target }) => target.matches('.lv-HitRow') && activate(rankOf(target)));
  el.append(root);

  function drawHead() {
    const { facts = [] } = model.get('answer');
    const name = `${model.get('frame')}.${model.get('columns')[model.get('column')]}`;
    head.replaceChildren(
      h('p', { class: 'lv-Title' }, icon('lake'), 'Joins for ', h('code', {}, name)),
      h('p', { class: 'lv-Facts' }, facts.join(' · ')), live);
    chooser.value = String(model.get('column'));
  }

  function drawBusy() {
    const busy = model.get('busy');
    cancel.hidden = !busy;
    const error = model.get('error');
    const answered = model.get('answer').closest !== undefined;
    const exact = model.get('hits').every(hit => hit.exact);
    const [mark, word] = busy ? ['half', `${busy} …`] : error ? ['x', 'failed'] : !answered ? ['stop', 'cancelled'] : exact ? ['check', 'exact'] : ['half', '≈ approximate'];
    live.replaceChildren(icon(mark), word);
    live.className = `lv-Status ${{ check: 'lv-ok', x: 'lv-bad' }[mark] ?? ''}`;
    again.hidden = Boolean(busy || answered);
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
  }

  function shown() {
    const hits = model.get('hits').filter(hit =>
      (!state.filter || `${hit.table}.${hit.column}`.toLowerCase().includes(state.filter)) && (!state.onlyMarked || state.marked.has(hit.rank)));
    const value = hit => hit[state.sort];
    const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : a.rank - b.rank) * state.turn;
    // Accidents stay below whatever is sorted by.
    return hits.sort((a, b) => a.accidental - b.accidental || order(a, b));
  }

  function drawGrid() {
    const { closest, why = [] } = model.get('answer');
    if (closest === undefined) {
      body.replaceChildren();
      return;
    }
    const parts = [];
    if (!model.get('hits').length || closest.length) parts.push(drawEmpty(closest, why));
    if (model.get('hits').length) parts.push(drawTable());
    body.replaceChildren(...parts);
  }

  function drawEmpty(closest, why) {
    const name = model.get('columns')[model.get('column')];
    const nearest = closest.length
      ? h('table', { class: 'lv-Mini' }, h('tbody', {}, ...closest.map(([column, shared]) =>
        h('tr', {}, h('th', { scope: 'row' }, h('code', {}, column)), h('td', { class: 'lv-num' }, shared)))))
      : h('p', {}, 'No column shares a single value with it.');
    return h('div', { class: 'lv-Empty' },
      h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'Nothing in this lake joins with ', h('code', {}, name))), nearest),
      h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'Why')), h('ul', {}, ...why.map(line => h('li', {}, line)))),
      h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'What to try')), h('ul', {},
        h('li', {}, 'Another column: choose it above.'), h('li', {}, h('code', {}, 'lake.index()'), ' takes in new and changed files.'))));
  }

  function drawTable() {
    const hits = shown();
    const ranked = hits.filter(hit => !hit.accidental);
    const accidents = hits.filter(hit => hit.accidental);
    if (!hits.some(hit => hit.rank === state.active)) activate(hits[0]?.rank ?? null);
    const header = h('tr', { role: 'row' }, ...COLUMNS.map(([key, text, name, turn]) => h('th', {
      scope: 'col', role: 'columnheader', class: name,
      'aria-sort': state.sort === key ? (state.turn > 0 ? 'ascending' : 'descending') : 'none'
    }, h('button', { type: 'button', 'data-sort': key, onclick: () => sortBy(key, turn) }, text, state.sort === key ? icon(state.turn > 0 ? 'up' : 'down') : null))));
    const group = accidents.length
      ? h('tbody', { role: 'rowgroup' }, h('tr', { role: 'row', class: 'lv-Group' }, h('th', { colspan: COLUMNS.length, role: 'rowheader' },
        `Probably accidental (${accidents.length})`, h('small', {}, 'kept out of the ranking; never joined unasked'))))
      : null;
    const table = h('table', { class: 'lv-Grid lv-Hits', role: 'grid', 'aria-label': `Ranked joins for ${model.get('frame')}`, 'aria-colcount': COLUMNS.length, 'aria-rowcount': hits.length + 1, 'aria-multiselectable': 'true' },
      h('thead', { role: 'rowgroup' }, header));
    const draw = hit => drawn.get(hit.rank)?.group ?? drawHit(hit);
    table.append(...ranked.map(draw), ...(group ? [group] : []), ...accidents.map(draw));
    return h('div', {}, table, hits.length ? null : h('p', { class: 'lv-More' }, 'No hit is left by the filter.'));
  }

  function sortBy(key, turn) {
    state.turn = state.sort === key ? -state.turn : turn;
    state.sort = key;
    drawGrid();
    root.querySelector(`[data-sort="${key}"]`)?.focus();
  }

  function drawHit(hit) {
    const group = makeHit(hit);
    const row = group.firstChild;
    row.tabIndex = hit.rank === state.active ? 0 : -1;
    row.setAttribute('aria-selected', String(state.marked.has(hit.rank)));
    if (state.open.has(hit.rank)) {
      const detail = drawDetail(hit, `${model.model_id ?? 'lv'}-hit-${hit.rank}`);
      const toggle = row.querySelector('button');
      group.classList.add('lv-open');
      toggle.setAttribute('aria-expanded', 'true');
      toggle.setAttribute('aria-controls', detail.id);
      toggle.replaceChildren(icon('down'));
      group.append(detail);
    }
    drawn.set(hit.rank, { group, row, hit });
    return group;
  }

  function drawDetail(hit, id) {
    const { details, how, preview } = state.open.get(hit.rank);
    const cell = h('td', { colspan: COLUMNS.length, role: 'gridcell' });
    if (!details) {
      cell.append(h('div', { class: 'lv-Detail' }, 'counting …'));
      return h('tr', { role: 'row', class: 'lv-DetailRow', id }, cell);
    }
    const list = rows => h('table', { class: 'lv-Mini' }, h('tbody', {}, ...rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, h('code', {}, name)), h('td', { class: 'lv-num' }, value)))));
    const facts = h('table', { class: 'lv-Mini' }, h('tbody', {}, ...details.joins[how].map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'lv-num' }, value)))));
    const choose = each => h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': String(how === each), onclick: () => change(hit, { how: each, preview: null }) }, each);
    const warning = hit.warn ? h('p', { class: 'lv-warn' }, icon('warn', 'warning'), ` ${hit.effect}`) : null;
    cell.append(h('div', { class: 'lv-Detail' },
      h('section', {}, h('p', { class: 'lv-H' }, icon('check'), h('b', {}, details.matching_title)), list(details.matching)),
      h('section', {}, h('p', { class: 'lv-H' }, icon(details.missing.length ? 'x' : 'check'), h('b', {}, details.missing_title)), list(details.missing)),
      h('section', {}, h('p', { class: 'lv-H' }, icon('join'), h('b', {}, 'What the join does')), facts, warning,
        h('div', { class: 'lv-Actions' }, choose('left'), choose('inner'),
          button('eye', 'Preview', () => act('preview', hit)), button('join', 'Join', () => act('join', hit), { class: 'lv-Button lv-mod-accept' }),
          button('copy', 'Copy code', () => act('copy', hit)))),
      preview ? drawPreview(preview) : null));
    return h('tr', { role: 'row', class: 'lv-DetailRow', id }, cell);
  }

  function activate(rank) {
    drawn.get(state.active)?.row.setAttribute('tabindex', '-1');
    state.active = rank;
    drawn.get(rank)?.row.setAttribute('tabindex', '0');
  }

  /** Draw one hit again, and leave the focus on what had it. */
  function redraw(rank) {
    const old = drawn.get(rank);
    if (!old) return;
    const places = [...old.group.querySelectorAll('button, [tabindex]')];
    const place = places.indexOf(document.activeElement);
    const fresh = drawHit(old.hit);
    old.group.replaceWith(fresh);
    if (place >= 0) ([...fresh.querySelectorAll('button, [tabindex]')][place] ?? drawn.get(rank).row).focus();
  }

  function change(hit, what) {
    state.open.set(hit.rank, { ...state.open.get(hit.rank), ...what });
    redraw(hit.rank);
  }

  function open(hit) {
    if (state.open.has(hit.rank)) return;
    state.open.set(hit.rank, { details: null, how: 'left', preview: null });
    model.send({ do: 'details', hit: hit.rank });
    redraw(hit.rank);
  }

  /** Into the details, as soon as they are there. */
  function enter() {
    const first = drawn.get(state.entering)?.group.querySelector('.lv-DetailRow button');
    if (first) {
      state.entering = null;
      first.focus();
    }
  }

  function close(hit) {
    state.open.delete(hit.rank);
    redraw(hit.rank);
  }

  function act(what, hit) {
    if (what === 'preview') open(hit);
    model.send({ do: what, hit: hit.rank, how: state.open.get(hit.rank)?.how ?? 'left' });
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
    const { hit } = drawn.get(rankOf(row));
    if (!target.closest('button')) row.focus();
    else if (state.open.has(hit.rank)) close(hit);
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
        Enter: () => { state.entering = active.hit.rank; open(active.hit); enter(); },
        ' ': () => { state.marked.has(active.hit.rank) ? state.marked.delete(active.hit.rank) : state.marked.add(active.hit.rank); redraw(active.hit.rank); }
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
    const hit = model.get('hits')[message.hit];
    if (message.code) take(message.code, message.then);
    else if (hit && state.open.has(hit.rank)) change(hit, message.details ? { details: message.details } : { preview: message.preview });
    enter();
  }

  const onHits = () => { drawn.clear(); state.open.clear(); state.marked.clear(); state.active = null; drawHead(); drawGrid(); drawBusy(); };
  const events = { 'change:hits': onHits, 'change:answer': onHits, 'change:busy': drawBusy, 'change:error': drawBusy, 'change:column': drawHead, 'msg:custom': onMessage };
  for (const [name, listener] of Object.entries(events)) model.on(name, listener);
  onHits();
  return () => {
    for (const [name, listener] of Object.entries(events)) model.off(name, listener);
  };
}

export default { render };
