import { button, h } from '../parts/dom';
import { plural } from '../parts/numbers';
import { of100, shown } from './fuzzy_standing';
import type { Advice, FuzzyAct, FuzzyFacts } from './traits';

/** Whether a precision was asked for that no threshold reaches. */
export const isUnreached = ({ target, reached }: Advice): boolean =>
  target !== undefined && !reached;

/** An aim that is not reached, of which nothing is joined: how near the best threshold comes, and what to do next. */
export function drawUnreached(
  advice: Advice,
  facts: FuzzyFacts,
  isShown: boolean,
  send: (message: FuzzyAct) => () => void,
  show: () => void
): HTMLElement[] {
  const { threshold = 1, precision = 0 } = advice;
  const place = facts.thresholds.findIndex(each => Math.abs(each - threshold) < 1e-6);
  const joined = facts.joined[place] ?? 0;
  const [share, low, high] = (facts.precision[place] ?? []).map(of100);
  const best = Math.floor(100 * precision) / 100;
  const words =
    share && joined
      ? [
          'The best is about ',
          h('b', {}, share),
          ` (${low} to ${high}), at ${shown(threshold)}, for ${plural(joined, 'row')}.`
        ]
      : ['No two values are alike enough.'];
  const look = { 'aria-expanded': String(isShown) };
  return [
    h('p', {}, ...words, ' Nothing was joined.'),
    h(
      'div',
      { class: 'lv-Acts' },
      button(null, 'Look for a transformation', send({ do: 'transform' }), {}, 'accept'),
      joined && best >= 0.5
        ? button(null, `Aim for ${of100(best)}`, send({ do: 'advise', precision: best }))
        : null,
      button(null, isShown ? 'Hide the curve' : 'Show the curve', show, look)
    )
  ];
}
