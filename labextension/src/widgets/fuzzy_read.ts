import { button, h, icon } from '../parts/dom';
import { count, plural } from '../parts/numbers';
import { compared, of100, shown, type Standing } from './fuzzy_standing';
import type { Advice, How } from './traits';

/** The same where all pairs are kept: how many that are, and what comes out. */
export function drawReadOfAll(now: Standing, how: How): HTMLElement[] {
  return [
    h('strong', {}, shown(now.threshold)),
    h('b', {}, plural(now.kept, 'pair')),
    h(
      'span',
      {},
      h('b', {}, plural(now.out, 'row')),
      ` after ${how === 'left' ? 'a left' : 'an inner'} join`
    )
  ];
}

/** The line over the chart: where the threshold stands, what it does, and the way back to the advice. */
export function drawRead(now: Standing, advice: Advice, advise: () => void): HTMLElement[] {
  const { joined, precision, difference } = now;
  const parts = [
    h('strong', {}, shown(now.threshold)),
    h('b', {}, now.by),
    h(
      'span',
      {},
      h('b', {}, count(joined)),
      ` row${joined === 1 ? '' : 's'} joined`,
      difference === null ? null : h('span', { class: 'lv-muted' }, ` (${compared(difference)})`)
    )
  ];
  if (precision.length) {
    const [share, low, high] = precision.map(of100);
    parts.push(
      h('span', {}, 'about ', h('b', {}, share), ` in 100 right (${low} to ${high})`),
      ...(now.isBelow ? [h('span', { class: 'lv-warn' }, icon('warn'), ' below your aim')] : [])
    );
  }
  parts.push(h('span', { class: 'lv-Spring' }));
  if (advice.reached && !now.isAdvised) {
    parts.push(button(null, `Back to ${shown(advice.threshold ?? 0)}`, advise));
  }
  return parts;
}
