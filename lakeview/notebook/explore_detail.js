// What an open hit shows, and what an answer says that found nothing. `does` holds what their buttons do.

/** The row below a hit: values that match and that don't, what the join does, and the buttons for it. */
function drawDetail(hit, id, { details, how, preview }, does) {
  const cell = h('td', { colspan: COLUMNS.length, role: 'gridcell' });
  const row = h('tr', { role: 'row', class: 'lv-DetailRow', id }, cell);
  if (!details) {
    cell.append(h('div', { class: 'lv-Detail' }, 'counting …'));
    return row;
  }
  const choose = each => h('button', { type: 'button', class: 'lv-Button', 'aria-pressed': String(how === each), onclick: () => does.choose(each) }, each);
  const warning = hit.warn ? h('p', { class: 'lv-warn' }, icon('warn', 'warning'), ` ${hit.effect}`) : null;
  cell.append(h('div', { class: 'lv-Detail' },
    h('section', {}, h('p', { class: 'lv-H' }, icon('check'), h('b', {}, details.matching_title)), drawFacts(details.matching, true)),
    h('section', {}, h('p', { class: 'lv-H' }, icon(details.missing.length ? 'x' : 'check'), h('b', {}, details.missing_title)), drawFacts(details.missing, true)),
    h('section', {}, h('p', { class: 'lv-H' }, icon('join'), h('b', {}, 'What the join does')), drawFacts(details.joins[how]), warning,
      h('div', { class: 'lv-Actions' }, choose('left'), choose('inner'), button('eye', 'Preview', does.preview),
        button('join', 'Join', does.join, { class: 'lv-Button lv-mod-accept' }), button('copy', 'Copy code', does.copy))),
    preview ? drawPreview(preview) : null));
  return row;
}

/** Names and their numbers; names of columns and values in the code font. */
function drawFacts(rows, names = false) {
  return h('table', { class: 'lv-Mini' }, h('tbody', {}, ...rows.map(([name, value]) =>
    h('tr', {}, h('th', { scope: 'row' }, names ? h('code', {}, name) : name), h('td', { class: 'lv-num' }, value)))));
}

/** Nothing found is an answer: what was closest, why, what to try. */
function drawEmpty(name, { closest, why = [], transform, problems, lake }, does) {
  const nearest = closest.length ? drawFacts(closest, true) : h('p', {}, 'No column shares a single value with it.');
  return h('div', { class: 'lv-Empty' },
    h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'Nothing in this lake joins with ', h('code', {}, name))), nearest),
    h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'Why')), h('ul', {}, ...why.map(line => h('li', {}, line)))),
    h('section', {}, h('p', { class: 'lv-H' }, h('b', {}, 'What to try')),
      transform ? h('p', {}, button('search', 'Look for a transformation', does.transform, { class: 'lv-Button lv-mod-accept' })) : null,
      problems && lake ? h('p', {}, button('warn', 'See the problems', does.problems)) : null,
      h('ul', {}, h('li', {}, 'Another column: choose it above.'), h('li', {}, h('code', {}, 'lake.index()'), ' takes in new and changed files.'))));
}
