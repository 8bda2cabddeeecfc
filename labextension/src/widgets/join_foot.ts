import { button, h } from '../parts/dom';
import { buttonLook } from '../parts/looks';
import { KEEPS } from './keeps';
import { RUNS } from './offer';
import type { How, Keep, Result } from './traits';

/** What the foot of an editor asks of the kernel. */
export type FootAct = { do: 'how'; how: How } | { do: 'preview' | 'name' } | Result;

const OFFERED = KEEPS.filter(([keep]) => ['left', 'inner', 'unmatched'].includes(keep));

/** The foot of an editor: which rows are kept, what comes out, the result's name, and the buttons. */
export class JoinFoot {
  /** Whether only the rows without a match are asked for. */
  isAlone = false;
  private _how: How = 'left';
  private _free = '';
  private _replaces = false;
  private readonly _sentence = h('span', { class: 'lv-Says' });
  private readonly _hint = h('small', { class: 'lv-hint lv-warn', role: 'status' });
  private readonly _keeps = OFFERED.map(([keep, word, meaning]) =>
    button(null, word, () => this._keep(keep), { title: meaning })
  );
  private readonly _name = h('input', {
    class: 'lv-Input',
    id: `lv-name-${Math.random().toString(36).slice(2)}`,
    'aria-label': 'Name of the result',
    spellcheck: 'false',
    oninput: () => this._ask(false),
    onkeydown: (event: KeyboardEvent) => this._onKey(event)
  });
  private readonly _join = button('join', 'Join', () => this.join(), {}, 'accept');
  readonly node = h(
    'div',
    { class: 'lv-Foot' },
    h(
      'span',
      { class: 'lv-Segmented', role: 'group', 'aria-label': 'Kind of join' },
      ...this._keeps
    ),
    this._sentence,
    h(
      'span',
      { class: 'lv-Acts' },
      this._hint,
      this._name,
      button('eye', 'Preview', () => this._send({ do: 'preview' })),
      button('copy', 'Copy code', () => this.copy()),
      this._join
    )
  );

  /** `changed`: another choice of rows was made here. */
  constructor(
    private readonly _send: (message: FootAct) => void,
    private readonly _changed: () => void
  ) {}

  /** What is chosen now, a name that is free, and what comes out, in words. */
  show(how: How, free: string, ...sentence: Node[]): void {
    this._how = how;
    const own = this._name.value !== this._free;
    this._free = free;
    if (!own) {
      this._name.value = free;
    }
    const now = this.isAlone ? 'unmatched' : how;
    this._keeps.forEach((each, i) =>
      each.setAttribute('aria-pressed', String(OFFERED[i][0] === now))
    );
    this._sentence.replaceChildren(...sentence);
  }

  /** Whether joining is what to do next: the one filled button. */
  lead(isNext: boolean): void {
    this._join.className = isNext ? buttonLook('accept') : buttonLook();
  }

  join(): void {
    this._send(this._result('join'));
  }

  copy(): void {
    this._send(this._result('copy'));
  }

  /** A cell was inserted: its name is taken once it has run. */
  inserted(): void {
    this._ask(false);
    setTimeout(() => this.node.isConnected && this._send({ do: 'name' }), RUNS);
  }

  /** The name exists: Join once more replaces what it holds. */
  taken(name: string): void {
    this._ask(true);
    this._hint.textContent = `${name} will be replaced: Join once more`;
  }

  private _ask(replaces: boolean): void {
    this._replaces = replaces;
    this._hint.textContent = '';
  }

  private _result(what: 'join' | 'copy'): Result {
    const name = this._name.value.trim();
    return {
      do: what,
      unmatched: this.isAlone,
      replaces: this._replaces,
      ...(name && name !== this._free ? { name } : {})
    };
  }

  private _keep(keep: Keep): void {
    this.isAlone = keep === 'unmatched';
    const how = keep === 'inner' ? 'inner' : 'left';
    if (how !== this._how) {
      this._send({ do: 'how', how });
    }
    this._changed();
  }

  private _onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      this.join();
    } else if (event.key === 'Escape') {
      this._name.value = this._free;
      this._ask(false);
      this._join.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
