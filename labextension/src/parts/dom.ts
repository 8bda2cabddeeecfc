import { buttonLook, iconLook, type Mod } from './looks';

/** What goes into an element: every text as text. */
export type Child = Node | string | null | undefined;

type Value = string | number | boolean | null | undefined;

/** Attributes by name, listeners by `on` and their event. */
export type Attributes = Record<string, Value | ((event: never) => void)>;

/** An element; attributes with null are left out, children that are null too. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  // Lab's shortcuts are matched with the focused element before any around it.
  if (element.matches('button, input, select, [tabindex]')) {
    element.setAttribute('data-lm-suppress-shortcuts', 'true');
  }
  element.append(...given(children));
  return element;
}

export function given(children: Child[]): (Node | string)[] {
  return children.filter(child => child !== null && child !== undefined);
}

export function icon(name: string, label?: string): HTMLElement {
  return h('span', iconLook(name, label));
}

/** A button with an icon, a word, or both. */
export function button(
  name: string | null,
  text: string | null,
  onclick: (() => void) | null,
  more: Attributes = {},
  ...mods: Mod[]
): HTMLButtonElement {
  const look = { type: 'button', class: buttonLook(...mods), onclick, ...more };
  return h('button', look, name ? icon(name) : null, text);
}
