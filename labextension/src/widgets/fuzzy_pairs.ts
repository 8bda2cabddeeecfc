import { button, h, icon } from '../parts/dom';
import { buttonLook } from '../parts/looks';
import type { FuzzyFacts, Pair, Verdict } from './traits';

const SIDES = [
  { side: 'above', mark: 'up', title: 'Just above: joined', order: 'the doubtful first' },
  { side: 'below', mark: 'down', title: 'Just below: left out', order: 'the likely first' }
] as const;

/** What rows of pairs do; `key` is a pair's place on its side. */
export interface PairActs {
  judge: (pair: number, verdict: Verdict) => void;
  activate: (key: string) => void;
}

/** The pairs on either side of the threshold. */
export function drawSides(
  facts: FuzzyFacts,
  step: number,
  names: string[],
  does: PairActs
): HTMLElement[] {
  return SIDES.map(({ side, mark, title, order }) => {
    const rows = facts[side][step].map((pair, place) =>
      drawPair(facts.pairs[pair], `${side}-${place}`, does)
    );
    const note = h('span', { class: 'lv-muted' }, order);
    return h(
      'section',
      { 'aria-label': title },
      h('p', { class: 'lv-H' }, icon(mark), h('b', {}, title), note),
      rows.length
        ? drawTable(title, names, rows)
        : h('p', { class: 'lv-More' }, 'No pair lies here.')
    );
  });
}

function drawTable(title: string, [left, right]: string[], rows: HTMLElement[]): HTMLElement {
  const heads = ['Alike', `${left} / ${right}`, 'Next best', 'Same?'].map((name, i) =>
    h('th', { scope: 'col', role: 'columnheader', class: i === 2 ? 'lv-num' : null }, name)
  );
  return h(
    'table',
    {
      class: 'lv-Grid lv-Sim',
      role: 'grid',
      'aria-label': `Pairs ${title.toLowerCase()}`
    },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...heads)),
    h('tbody', { role: 'rowgroup' }, ...rows)
  );
}

/** A similarity, or how many tokens are shared. */
const alike = (value: number): string => (value > 1 ? String(value) : value.toFixed(3));

function drawPair(
  { number, left, right, similarity, runner, verdict }: Pair,
  key: string,
  does: PairActs
): HTMLElement {
  const ahead = similarity - runner;
  const lead = !runner ? 'none' : ahead < 0.005 ? 'level' : ahead < 0.1 ? 'close' : 'far';
  const choose = (say: 'yes' | 'no', mark: string, words: string): HTMLElement =>
    button(mark, words, () => does.judge(number, verdict === say ? '' : say), {
      class: `${buttonLook()} lv-${say}`,
      tabindex: -1,
      'aria-pressed': String(verdict === say)
    });
  return h(
    'tr',
    {
      role: 'row',
      class: `lv-Pair${verdict === 'no' ? ' lv-mod-no' : ''}`,
      tabindex: -1,
      'data-pair': number,
      'data-key': key,
      onfocus: () => does.activate(key)
    },
    h('td', { role: 'gridcell' }, alike(similarity)),
    h('td', { role: 'gridcell', class: 'lv-Two' }, ...drawTexts(left, right)),
    h(
      'td',
      { role: 'gridcell', class: 'lv-num' },
      runner ? alike(runner) : '–',
      h('span', { class: 'lv-sub' }, lead)
    ),
    h(
      'td',
      { role: 'gridcell' },
      h(
        'div',
        {
          class: 'lv-Judge lv-Segmented',
          role: 'group',
          'aria-label': 'Is this pair right?'
        },
        choose('yes', 'check', 'Yes'),
        choose('no', 'x', 'No')
      )
    )
  );
}

/** Two texts, what they do not share marked; by what they begin and end with. */
function drawTexts(left: string, right: string): HTMLElement[] {
  const most = Math.min(left.length, right.length);
  let from = 0;
  while (from < most && left[from] === right[from]) {
    from++;
  }
  let back = 0;
  while (back < most - from && left.at(-1 - back) === right.at(-1 - back)) {
    back++;
  }
  const one = (text: string, tag: 'del' | 'ins'): HTMLElement => {
    const end = text.length - back;
    return h(
      'span',
      { title: text },
      text.slice(0, from),
      h(tag, {}, text.slice(from, end)),
      text.slice(end)
    );
  };
  return [one(left, 'del'), one(right, 'ins')];
}
