import { button, h, icon } from '../parts/dom';
import { count, plural } from '../parts/numbers';
import explore from './explore';
import { byConfidence, inOrder, isShown, keyOf, type Group } from './overview_groups';
import { drawCells, isMuted, PARTS } from './overview_line';
import { drawTargets } from './explore_tools';
import { OverviewTools } from './overview_tools';
import type { ColumnLine, ExploreAct, OverviewTraits } from './traits';
import {
  at,
  drawHelp,
  drawShort,
  follow,
  giveWay,
  isForeign,
  press,
  showFromTop,
  taken
} from './widget';
import type { Place } from './widget';

const KEYS: [string, string][] = [
  ['↑ ↓', 'line'],
  ['Enter', 'go in'],
  ['Space', 'mark'],
  ['T', 'together'],
  ['/', 'filter'],
  ['Esc', 'back']
];

/** The widget of lv.explore without a column: a line for each, and the grid of one where somebody goes in. */
function render({ model, el }: Place<OverviewTraits, ExploreAct>): () => void {
  const frame = model.get('frame');
  const root = h('section', {
    class: 'lv lv-Explore lv-Over',
    'aria-label': `What joins with ${frame}`,
    'data-lm-suppress-shortcuts': 'true'
  });
  const facts = h('p', { class: 'lv-Facts' });
  const live = h('span', { role: 'status', 'aria-live': 'polite', class: 'lv-Status' });
  const cancel = button('stop', 'Cancel', () => model.send({ do: 'cancel' }));
  const alert = h('div', { role: 'alert' });
  const title = h(
    'p',
    { class: 'lv-Title' },
    icon('lake'),
    'What joins with ',
    h('code', {}, frame)
  );
  const spring = h('span', { class: 'lv-Spring' });
  const goOn = button('search', 'Go on', () => model.send({ do: 'search' }));
  const keys = drawHelp(KEYS);
  const again = h('p', { class: 'lv-More' }, goOn);
  const tools = new OverviewTools(drawLines, searchMarked, () => order(true));
  const table = h(
    'table',
    {
      class: 'lv-Grid lv-Columns',
      role: 'grid',
      'aria-label': `Columns of ${frame}`,
      'aria-multiselectable': 'true'
    },
    h('thead', { role: 'rowgroup' }, drawHeader())
  );
  const none = h('p', { class: 'lv-More' }, 'No column is left by the filter.');
  const notes = h('div');
  root.append(
    h('header', { class: 'lv-Head' }, title, facts, live, cancel, spring, keys, drawShort(keys)),
    alert,
    tools.node,
    again,
    table,
    none,
    notes
  );
  root.addEventListener('keydown', onKey);
  root.addEventListener('click', event => {
    const row = at(event).closest<HTMLElement>('.lv-ColumnRow');
    if (row && at(event).closest('.lv-mark')) {
      mark(row);
    } else if (row) {
      goIn(row);
    }
  });
  root.addEventListener('focusin', event => {
    if (at(event).matches('.lv-ColumnRow')) {
      activate(at(event));
    }
  });
  el.append(root);

  /** The rows by what they are known by, what each shows, and which are marked. */
  const drawn = new Map<string, { row: HTMLElement; shows: string }>();
  const marked = new Set<string>();
  let isGrouped = false;
  let hasGrouped = false; // it groups by itself once
  let stands = ''; // the order on the page
  let inner: { place: HTMLElement; leave: () => void } | null = null;

  const rows = (): HTMLElement[] => [...root.querySelectorAll<HTMLElement>('.lv-ColumnRow')];
  const active = (): HTMLElement | undefined => rows().find(row => row.tabIndex === 0);

  function activate(row: HTMLElement): void {
    active()?.setAttribute('tabindex', '-1');
    row.tabIndex = 0;
  }

  /** A row that is there is filled in its place; what it shows already is left alone. */
  function rowOf(line: ColumnLine): HTMLElement {
    const key = keyOf(line);
    const look = { class: 'lv-ColumnRow', role: 'row', tabindex: -1, 'data-chosen': key };
    const row = drawn.get(key)?.row ?? h('tr', look);
    const shows = JSON.stringify([line, marked.has(key)]);
    if (drawn.get(key)?.shows !== shows) {
      drawn.set(key, { row, shows });
      row.classList.toggle('lv-accident', isMuted(line));
      row.setAttribute('aria-selected', String(marked.has(key)));
      row.replaceChildren(...drawCells(line, marked.has(key)));
    }
    return row;
  }

  function drawGroup({ title, note, lines }: Group): HTMLElement {
    const words = [h('b', {}, title), note ? h('small', {}, note) : null];
    const head = h('th', { colspan: PARTS.length, scope: 'rowgroup' }, ...words);
    return h(
      'tbody',
      { role: 'rowgroup' },
      title ? h('tr', { class: 'lv-Group', role: 'row' }, head) : null,
      ...lines.map(rowOf)
    );
  }

  /** Rows that are there are filled in their places; they are laid out anew only where their order is another. */
  function drawLines(): void {
    const lines = model.get('overview');
    tools.show(lines, marked.size, model.get('whole') && !isGrouped);
    const shown = lines.filter(line => isShown(line, tools.shown));
    const groups = (isGrouped ? byConfidence : inOrder)(shown);
    const layout = JSON.stringify(groups.map(({ title, lines: some }) => [title, some.map(keyOf)]));
    if (layout === stands) {
      shown.forEach(rowOf);
    } else {
      stands = layout;
      const focused = rows().find(row => row === document.activeElement);
      table.replaceChildren(table.firstElementChild!, ...groups.map(drawGroup));
      focused?.focus({ preventScroll: true });
    }
    none.hidden = Boolean(shown.length || !lines.length);
    const [first] = rows();
    if (first && !active()) {
      activate(first);
    }
    drawState();
  }

  function order(grouped: boolean): void {
    isGrouped = grouped;
    drawLines();
    active()?.focus();
  }

  /** Once all lines are there they are grouped, where nobody is among them. */
  function onWhole(): void {
    if (model.get('whole') && !hasGrouped) {
      hasGrouped = true;
      isGrouped = !root.matches(':hover, :focus-within');
    }
    drawLines();
  }

  function mark(row: HTMLElement): void {
    const key = row.dataset.chosen ?? '';
    if ((JSON.parse(key) as number[]).length === 1 && !marked.delete(key)) {
      marked.add(key);
    }
    drawLines();
  }

  function searchMarked(): void {
    if (marked.size > 1) {
      choose([...marked].flatMap(key => JSON.parse(key) as number[]));
    }
  }

  function drawState(): void {
    const lines = model.get('overview');
    const [busy, error, whole] = [model.get('busy'), model.get('error'), model.get('whole')];
    const asked = lines.filter(line => line.asked && line.chosen.length < 2).length;
    const far = `${count(asked)} of ${plural(model.get('columns').length, 'column')}`;
    const exact = lines.every(line => line.hit?.exact ?? true);
    const [mark, tone, word] = busy
      ? ['half', '', far]
      : error
        ? ['x', 'lv-bad', 'failed']
        : !whole
          ? ['stop', '', `stopped at ${far}`]
          : exact
            ? ['check', 'lv-ok', 'exact']
            : ['half', '', '≈ approximate'];
    live.replaceChildren(icon(mark), word);
    live.className = `lv-Status ${tone}`;
    cancel.hidden = !busy;
    keys.classList.toggle('lv-away', Boolean(busy)); // one line holds one of the two
    again.hidden = Boolean(busy || whole);
    alert.replaceChildren(...(error ? [h('p', { class: 'lv-Alert' }, error)] : []));
    facts.title = facts.textContent = model.get('facts').join(' · ');
    notes.replaceChildren(...model.get('notes').map(said => h('p', { class: 'lv-More' }, said)));
  }

  function goIn(row: HTMLElement): void {
    activate(row);
    choose(JSON.parse(row.dataset.chosen ?? '[]') as number[]);
  }

  function choose(chosen: number[]): void {
    model.set('chosen', chosen);
    model.save_changes();
  }

  /** In or out, as columns are chosen or none is; out again, the line that was left has the focus. */
  function show(): void {
    const isIn = model.get('chosen').length > 0;
    if (isIn && !inner) {
      const place = h('div');
      root.replaceWith(place);
      const leave = explore.render({ model, el: place, back: () => choose([]) });
      inner = { place, leave };
      const section = place.querySelector('section');
      section?.setAttribute('tabindex', '-1');
      section?.focus({ preventScroll: true });
    } else if (!isIn && inner) {
      inner.leave();
      inner.place.replaceWith(root);
      inner = null;
      active()?.focus();
    }
  }

  /** Who went in by a key is at the first hit once there is one. */
  function onAnswer(): void {
    const section = inner?.place.querySelector('section');
    if (section && section === document.activeElement) {
      section
        .querySelector<HTMLElement>('.lv-HitRow[tabindex="0"]')
        ?.focus({ preventScroll: true });
    }
  }

  function onKey(event: KeyboardEvent): void {
    const all = rows();
    const place = all.indexOf(at(event));
    if (isForeign(event)) {
      return;
    }
    if (event.key === 'Escape') {
      taken(event);
      if (at(event).matches('input')) {
        active()?.focus();
      } else if (model.get('busy')) {
        model.send({ do: 'cancel' });
      } else {
        root.closest<HTMLElement>('.jp-Notebook')?.focus();
      }
    } else if (place >= 0) {
      press(event, {
        ArrowDown: () => all[Math.min(place + 1, all.length - 1)].focus(),
        ArrowUp: () => all[Math.max(place - 1, 0)].focus(),
        Home: () => all[0].focus(),
        End: () => all.at(-1)?.focus(),
        ArrowRight: () => goIn(all[place]),
        ' ': () => mark(all[place]),
        t: searchMarked,
        '/': () => tools.filter.focus(),
        Enter: () => goIn(all[place])
      });
    }
  }

  const unfollow = follow(model, {
    'change:overview': drawLines,
    'change:facts': drawState,
    'change:notes': drawState,
    'change:whole': onWhole,
    'change:busy': drawState,
    'change:error': drawState,
    'change:answer': () => requestAnimationFrame(onAnswer),
    'change:chosen': show,
    'change:target': () => drawTargets(tools.targets, model),
    'msg:custom': () => undefined
  });
  const unwatch = giveWay(model, el, model.get('look'));
  drawTargets(tools.targets, model);
  onWhole();
  showFromTop(model, root);
  show();
  return () => {
    unfollow();
    unwatch();
    inner?.leave();
  };
}

function drawHeader(): HTMLElement {
  const heads = PARTS.map(([name, head, sentence]) =>
    h(
      'th',
      { class: name, role: 'columnheader', scope: 'col', title: sentence },
      /^lv-(mark|type)$/.test(name) ? h('span', { class: 'lv-sr' }, head) : head
    )
  );
  return h('tr', { role: 'row' }, ...heads);
}

export default { render };
