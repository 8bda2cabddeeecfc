import { given, type Child } from './dom';

type Look = Record<string, string | number>;

/** An element of a picture; as `h`, in SVG. */
export function g<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Look = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  element.append(...given(children));
  return element;
}

export const END = { 'text-anchor': 'end' };
export const MIDDLE = { 'text-anchor': 'middle' };
export const STRONG = { class: 'strong' };
export const text = (x: number, y: number, said: string, more: Look = {}): Element =>
  g('text', { x, y, ...more }, said);
export const line = (name: string, x1: number, y1: number, x2: number, y2: number): Element =>
  g('line', { class: name, x1, y1, x2, y2 });
