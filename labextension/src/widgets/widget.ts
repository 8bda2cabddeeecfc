import { h } from '../parts/dom';
import { buttonLook } from '../parts/looks';
import { SHUT_DOWN } from './offer';
import type { Said } from './traits';

/** What anywidget hands to a script: the traits by name, and messages both ways. */
export interface Model<Traits, Act> {
  model_id?: string;
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  save_changes(): void;
  send(message: Act): void;
  on(event: string, listener: (said: Said) => void): void;
  off(event: string, listener: (said: Said) => void): void;
  /** Of the notebook that shows the widget; other hosts than Lab may have none. */
  widget_manager?: { kernel?: unknown };
}

/** Where a widget is drawn, and what of. */
export interface Place<Traits, Act> {
  model: Model<Traits, Act>;
  el: HTMLElement;
}

/** What a widget does when a trait changes or the kernel says something. */
export type Events<Traits> = {
  [Name in keyof Traits & string as `change:${Name}`]?: () => void;
} & { 'msg:custom': (said: Said) => void };

/** Follow the model; what is returned ends that. */
export function follow<Traits, Act>(model: Model<Traits, Act>, events: Events<Traits>): () => void {
  const listeners = Object.entries<(said: Said) => void>(events);
  for (const [name, listener] of listeners) {
    model.on(name, listener);
  }
  return () => {
    for (const [name, listener] of listeners) {
      model.off(name, listener);
    }
  };
}

/** What the notebook's file keeps of a widget is not seen while the widget lives. */
function hideLasting(look: string): HTMLElement {
  const both = `.${look}, .jp-OutputArea-child:has(.${look})`;
  return h('style', {}, `${both} { display: none !important; }`);
}

/** Hide what the notebook's file keeps of a widget, until its kernel is gone: then that takes the widget's place. */
export function giveWay<Traits, Act>(
  model: Model<Traits, Act>,
  el: HTMLElement,
  look: string
): () => void {
  const hidden = hideLasting(look);
  el.append(hidden);
  const gone = (): void => {
    hidden.remove();
    el.closest('.jp-OutputArea-child')?.classList.add('lv-Gone');
    el.replaceChildren(h('style', {}, '.lv-Gone { display: none !important; }'));
  };
  const left = (): void => {
    if (model.widget_manager?.kernel === null) {
      gone();
    }
  };
  model.on(GONE, gone);
  document.addEventListener(SHUT_DOWN, left);
  return () => {
    model.off(GONE, gone);
    document.removeEventListener(SHUT_DOWN, left);
  };
}

/** What ipywidgets says when the kernel of a widget that is shown has begun anew. */
const GONE = 'comm_live_update';

const seen = new WeakSet<object>();

/** A new answer that does not fit on the screen: the input of its cell goes to the upper edge. */
export function showFromTop(model: object, root: HTMLElement): void {
  if (seen.has(model)) {
    return;
  }
  seen.add(model);
  requestAnimationFrame(() => {
    const cell = root.closest('.jp-Cell.jp-mod-active');
    const view = root.closest('.jp-WindowedPanel-outer, .jp-Notebook');
    if (cell && view && root.getBoundingClientRect().bottom > view.getBoundingClientRect().bottom) {
      cell.scrollIntoView({ block: 'start' });
    }
  });
}

/** What each key does, by its name; letters are small. */
export type Keys = Record<string, (() => void) | undefined>;

/** Keys that belong to the browser or to Lab. */
export function isForeign(event: KeyboardEvent): boolean {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** Do what a key does here; no other part of the page hears of it then. */
export function press(event: KeyboardEvent, keys: Keys): void {
  const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (does) {
    does();
    taken(event);
  }
}

export function taken(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** The keys of `↑ ↓`, each in a frame. */
export function drawKeys(keys: string): (Node | string)[] {
  return keys.split(' ').flatMap(key => [h('kbd', {}, key), ' ']);
}

/** What the keyboard does, below a widget. */
export function drawHelp(help: [keys: string, words: string][]): HTMLElement {
  const lines = help.map(([keys, words]) => h('li', {}, ...drawKeys(keys), words));
  return h('ul', { class: 'lv-Keys', 'aria-label': 'Keyboard' }, ...lines);
}

/** The button that shows those keys where there is no room for them. */
export function drawShort(keys: HTMLElement): HTMLElement {
  const onclick = (): void => {
    short.setAttribute('aria-expanded', String(keys.classList.toggle('lv-shown')));
  };
  const look = { 'aria-label': 'Keys', 'aria-expanded': 'false', onclick };
  const short = h(
    'button',
    { type: 'button', class: `${buttonLook('plain')} lv-Short`, ...look },
    h('kbd', {}, '?')
  );
  return short;
}

/** The element that an event began at. */
export function at(event: Event): HTMLElement {
  return event.target as HTMLElement;
}
