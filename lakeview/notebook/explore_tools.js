// What is asked and what of the answer is shown: the lists of columns, and a button for each kind of join.

/** A list for each column that is joined on, and one to join on another together with them. */
function drawChoosers(place, model) {
  const chosen = model.get('chosen');
  const columns = model.get('columns');
  const lists = () => [...place.querySelectorAll('select')];
  const focused = lists().indexOf(document.activeElement);
  const choose = (at, value) => {
    const next = [...chosen];
    next.splice(at, 1, ...(value === '' ? [] : [Number(value)]));
    model.set('chosen', next);
    model.save_changes();
  };
  const list = (at, label) => {
    const free = columns.map((_, i) => i).filter(i => i === chosen[at] || !chosen.includes(i));
    const select = h('select', { class: 'lv-Input', 'aria-label': label, onchange: () => choose(at, select.value) },
      at ? h('option', { value: '' }, '—') : null, ...free.map(i => h('option', { value: i }, columns[i])));
    select.value = String(chosen[at] ?? '');
    return h('label', {}, at ? 'and ' : `${model.get('frame')} · `, select);
  };
  place.replaceChildren(...chosen.map((_, at) => list(at, at ? 'Together with' : `Column of ${model.get('frame')}`)),
    ...(chosen.length < columns.length ? [list(chosen.length, 'Join on another column too')] : []));
  lists()[focused]?.focus();
}

/** One button a kind, where there are several; `state.kind` is the one that is shown, null for all. */
function drawKinds(place, hits, state, draw) {
  const count = new Map();
  for (const { kind } of hits) count.set(kind, (count.get(kind) ?? 0) + 1);
  if (!count.has(state.kind)) state.kind = null;
  const one = (kind, text) => h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': String(state.kind === kind), 'data-kind': kind ?? 'all', onclick: () => {
    state.kind = kind;
    draw();
    place.querySelector(`[data-kind="${kind ?? 'all'}"]`).focus();
  } }, text);
  place.hidden = count.size < 2;
  place.replaceChildren(one(null, `All ${hits.length}`), ...Object.keys(KINDS).filter(kind => count.has(kind)).map(kind => one(kind, `${KINDS[kind]} ${kind} ${count.get(kind)}`)));
}

/** Draw anew, and scroll so that the row with the pointer or the focus stays where it is on the screen. */
function keepStill(body, drawn, draw) {
  const hand = body.querySelector('.lv-Hit:hover, .lv-Hit:focus-within')?.dataset.id;
  const top = () => drawn.get(hand)?.row.getBoundingClientRect().top;
  const before = top();
  draw();
  const moved = top() - before;
  if (!moved) return; // nor where there is no such row
  let scroller = body;
  while (scroller && !(/auto|scroll/.test(getComputedStyle(scroller).overflowY) && scroller.scrollHeight > scroller.clientHeight)) scroller = scroller.parentElement;
  if (scroller) scroller.scrollTop += moved;
}
