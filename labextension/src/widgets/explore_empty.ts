import { button, h } from '../parts/dom';
import { drawFacts } from './explore_parts';
import type { Answer } from './traits';

/** Nothing found is an answer: what was closest, why, what to try. */
export function drawEmpty(
  name: string,
  { closest = [], why = [], problems, lake }: Answer,
  canChoose: boolean,
  showProblems: () => void
): HTMLElement {
  const nearest = closest.length
    ? drawFacts(closest, true)
    : h('p', {}, 'No column shares a single value with it.');
  const title = h('b', {}, 'Nothing in this lake joins with ', h('code', {}, name));
  return h(
    'div',
    { class: 'lv-Empty' },
    h('section', {}, h('p', { class: 'lv-H' }, title), nearest),
    h(
      'section',
      {},
      h('p', { class: 'lv-H' }, h('b', {}, 'Why')),
      h('ul', {}, ...why.map(line => h('li', {}, line)))
    ),
    h(
      'section',
      {},
      h('p', { class: 'lv-H' }, h('b', {}, 'What to try')),
      problems && lake ? h('p', {}, button('warn', 'See the problems', showProblems)) : null,
      h(
        'ul',
        {},
        canChoose ? h('li', {}, 'Another column: choose it above.') : null,
        h('li', {}, h('code', {}, 'lake.index()'), ' takes in new and changed files.')
      )
    )
  );
}
