import { h, icon, type Attributes } from '../parts/dom';
import { count } from '../parts/numbers';
import { drawPieces } from './transform_rows';
import type { Alternative, PlanFacts } from './traits';

export const drawTitle = (...inside: (string | Node)[]): HTMLElement =>
  h('p', { class: 'lv-Sub' }, ...inside);

/** The steps that make a key, and a row as an example; `light` is told of the step that has the focus. */
export function drawProgram(
  { derived, steps, more, rows }: PlanFacts,
  light: (step: HTMLElement | null) => void
): HTMLElement {
  const example = [...rows.covered, ...rows.ambiguous].at(0);
  const drawStep = (text: string, i: number): HTMLElement => {
    const look: Attributes = {
      class: 'lv-Op',
      'data-op': (i % 3) + 1,
      'data-step': i + 1,
      tabindex: 0,
      onfocus: ({ currentTarget }: FocusEvent) => light(currentTarget as HTMLElement),
      onblur: () => light(null)
    };
    const number = h('span', { class: 'lv-Op-n' }, String(i + 1));
    return h('li', {}, h('mark', look, number, text));
  };
  return h(
    'div',
    { class: 'lv-Block' },
    drawTitle('The program: how a key is made from ', h('code', {}, derived)),
    h('ol', { class: 'lv-Program' }, ...steps.map(drawStep)),
    ...more.map(line => h('p', { class: 'lv-More-rule' }, line)),
    example
      ? h(
          'p',
          { class: 'lv-Ex' },
          drawPieces(example.before),
          ' → ',
          drawPieces(example.after),
          ' = ',
          h('span', { class: 'lv-ok' }, icon('check', 'a key')),
          ' ',
          h('code', {}, example.keys?.[0])
        )
      : null
  );
}

/** Tabs by name, one of which is chosen; `panel` is what they change. */
export function drawTabs<Name extends string>(
  tabs: [name: Name, words: string][],
  chosen: Name,
  id: string,
  panel: string,
  choose: (name: Name) => void,
  more: Attributes
): HTMLElement {
  const drawTab = ([name, words]: [Name, string]): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        role: 'tab',
        class: 'lv-Tab',
        id: `${id}-${name}`,
        'aria-controls': `${id}-${panel}`,
        'aria-selected': String(name === chosen),
        tabindex: name === chosen ? 0 : -1,
        onclick: () => choose(name)
      },
      words
    );
  return h('div', { class: 'lv-Tabs', role: 'tablist', ...more }, ...tabs.map(drawTab));
}

type Part = [look: string, rows: number, words: string];

/** A stacked bar with its legend; the sentence is its label. */
function drawCover(title: string, parts: Part[]): HTMLElement {
  const all = parts.reduce((sum, [, rows]) => sum + rows, 0);
  const [[, first], [, second]] = parts;
  const words = parts.map(([, rows, text]) => `${count(rows)} ${text}`);
  const label = `${title}: ${words.join('; ')}`;
  const share = `${count(first + second)} of ${count(all)}`;
  return h(
    'div',
    { class: 'lv-Cover' },
    h('p', {}, h('span', {}, title), h('span', {}, share)),
    h(
      'div',
      { class: 'lv-Stack', role: 'img', 'aria-label': label },
      ...parts
        .filter(([, rows]) => rows)
        .map(([look, rows]) => h('span', { class: look, style: `flex:${rows}` }))
    ),
    h(
      'ul',
      { class: 'lv-Legend' },
      ...parts.map(([look], i) =>
        h('li', {}, h('i', { class: look, 'aria-hidden': 'true' }), words[i])
      )
    )
  );
}

/** How much of both sides is covered, and which programs there are. `id` is that of the widget. */
export function drawAside(
  { derived, keyed, counts, keys }: PlanFacts,
  plans: Alternative[],
  chosen: number,
  id: string,
  choose: (plan: number) => void
): HTMLElement {
  const drawPlan = ({ title, rows, note }: Alternative, i: number): HTMLElement =>
    h(
      'div',
      {
        class: 'lv-Alt',
        role: 'radio',
        'aria-checked': String(i === chosen),
        tabindex: i === chosen ? 0 : -1,
        'data-plan': i,
        onclick: () => choose(i)
      },
      h('span', { class: 'lv-Radio', 'aria-hidden': 'true' }),
      h('span', {}, title),
      h('span', { class: 'lv-num' }, rows),
      h('small', {}, note)
    );
  const programs = h('p', { class: 'lv-Sub', id: `${id}-alt` }, 'Programs, best first');
  return h(
    'div',
    { class: 'lv-Aside' },
    drawTitle('Coverage'),
    drawCover(`Rows of ${derived}`, [
      ['a', counts.covered, 'covered'],
      ['b', counts.ambiguous, 'ambiguous'],
      ['z', counts.uncovered, 'uncovered']
    ]),
    drawCover(`Rows of ${keyed}`, [
      ['a', keys.once, 'met once'],
      ['b', keys.several, 'met several times'],
      ['z', keys.never, 'not met']
    ]),
    programs,
    h('div', { role: 'radiogroup', 'aria-labelledby': `${id}-alt` }, ...plans.map(drawPlan))
  );
}
