import { h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import { of100, shown } from './fuzzy_standing';
import type { Choices, FuzzyAct, FuzzyTraits, Point } from './traits';
import type { Model } from './widget';

const CHOICES: [name: keyof Choices, label: string, words: Record<string, string>][] = [
  [
    'tokeniser',
    'Pieces',
    {
      '2-grams': 'two letters',
      '3-grams': 'three letters',
      '4-grams': 'four letters',
      both: 'words and letters'
    }
  ],
  [
    'measure',
    'Measure',
    { jaccard: 'pieces shared', jaro_winkler: 'Jaro-Winkler', edit: 'edit distance' }
  ],
  ['cardinality', 'Keep', { 'N:1': 'the best match', '1:1': 'each only once', 'N:M': 'all pairs' }]
];

const drawTitle = (text: string): HTMLElement => h('p', { class: 'lv-Sub' }, text);

/** What is aimed for, how values are compared, what is included, how sure that is and from what. */
export class Aside {
  readonly node = h('div', { class: 'lv-Aside' });
  private readonly _included = h('div');
  private _isOpen = false;
  private readonly _aim = h('input', {
    class: 'lv-Input',
    type: 'number',
    min: 50,
    max: 100,
    step: 1,
    'aria-label': 'How many of 100 joined rows should be right',
    onchange: () => this._advise(Number(this._aim.value) / 100)
  });

  /** `choose` is told of a choice by its name. */
  constructor(
    private readonly _model: Model<FuzzyTraits, FuzzyAct>,
    private readonly _choose: (name: keyof Choices, value: string) => void
  ) {}

  private _advise(precision: number): void {
    this._model.send({ do: 'advise', precision: Math.min(1, Math.max(0.01, precision)) });
  }

  private _keep(event: Event): void {
    this._isOpen = (event.target as HTMLDetailsElement).open;
  }

  /** The precision that is aimed for, but where somebody is writing another one. */
  aim(precision: number): void {
    if (document.activeElement !== this._aim) {
      this._aim.value = of100(precision);
    }
  }

  /** What is included at a threshold. */
  include(threshold: number, ...covers: HTMLElement[]): void {
    this._included.replaceChildren(drawTitle(`Rows at ${shown(threshold)}`), ...covers);
  }

  draw(): void {
    const focused = document.activeElement as HTMLElement | null;
    const name = this.node.contains(focused) && focused?.dataset.choice;
    const lines = this._model.get('evidence').map(line => h('li', {}, line));
    const isJudged = this._model.get('judged').some(n => n > 0);
    const ahead = this._model.get('ahead');
    const hint = h('small', {}, 'or drag the handle to set the threshold');
    const chosen = h(
      'p',
      { class: 'lv-sub' },
      icon('check'),
      ` chosen for you${ahead ? `; joined where ${ahead}` : ''}`
    );
    this.node.replaceChildren(
      drawTitle('Aim'),
      h('label', { class: 'lv-Field' }, h('span', {}, 'Right, of 100'), this._aim, hint),
      drawTitle('How values are compared'),
      ...CHOICES.map(([each, label, words]) => this._drawChoice(each, label, words)),
      ...(this._model.get('advice').reached ? [chosen] : []),
      this._included,
      h(
        'details',
        { class: 'lv-Evidence', open: this._isOpen, ontoggle: (event: Event) => this._keep(event) },
        h('summary', {}, 'How sure, and from what'),
        h(
          'ul',
          { class: 'lv-Why' },
          ...lines,
          isJudged ? null : h('li', {}, 'nothing judged by you yet')
        )
      )
    );
    if (name) {
      this.node.querySelector<HTMLElement>(`[data-choice="${name}"]`)?.focus();
    }
  }

  private _drawChoice(
    name: keyof Choices,
    label: string,
    words: Record<string, string>
  ): HTMLElement {
    const { value, options } = this._model.get('choices')[name];
    const onchange = (): void => this._choose(name, select.value);
    const select = h(
      'select',
      { class: 'lv-Input', 'data-choice': name, onchange },
      ...options.map(each =>
        h('option', { value: each, selected: each === value }, words[each] ?? each)
      )
    );
    return h('label', { class: 'lv-Field' }, h('span', {}, label), select);
  }
}

/** A side's rows that the join takes, and those that it leaves. */
export function drawCover(
  name: string,
  part: number,
  all: number,
  yes: string,
  no: string
): HTMLElement {
  const [taken, left] = [`${count(part)} ${yes}`, `${count(all - part)} ${no}`];
  return h(
    'div',
    { class: 'lv-Cover' },
    h('div', {}, h('code', {}, name), h('b', {}, `${count(part)} of ${count(all)}`)),
    h(
      'div',
      { class: 'lv-Stack', role: 'img', 'aria-label': `${name}: ${taken}; ${left}` },
      h('span', { class: 'a', style: `flex:${part}` }),
      h('span', { class: 'z', style: `flex:${all - part}` })
    ),
    h('p', { class: 'lv-Legend' }, h('i', { class: 'a' }), taken, h('i', { class: 'z' }), left)
  );
}

const COLUMNS: [name: string, cell: (point: Point) => string][] = [
  ['Threshold', p => shown(p.threshold)],
  ['Pairs', p => (p.exact ? '' : '≈ ') + count(p.pairs)],
  ['95 %', p => (p.exact ? 'counted' : `${count(p.low)}–${count(p.high)}`)],
  ['Rows out, all pairs kept', p => count(p.out)]
];

/** The curve in numbers. */
export function drawCurveTable(curve: Point[]): HTMLElement {
  const heads = COLUMNS.map(([name]) => h('th', { scope: 'col', class: 'lv-num' }, name));
  const lines = curve.map(point =>
    h('tr', {}, ...COLUMNS.map(([, cell]) => h('td', { class: 'lv-num' }, cell(point))))
  );
  return h(
    'table',
    { class: 'lv-Grid' },
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...lines)
  );
}
