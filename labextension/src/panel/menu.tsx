import * as React from 'react';

import { Icon } from './parts';

/** A line of a menu: something to do (a key where another has the same text), a heading, or a rule between groups. */
export type Item =
  | { text: string; key?: string; icon?: string; note?: string; checked?: boolean; run: () => void }
  | { heading: string }
  | 'rule';

interface Props {
  label: string;
  items: Item[];
  /** It is over: by a choice, by Escape, or because the focus went elsewhere. */
  onClose: (back: boolean) => void;
}

/** A menu with its usual keys; the focus is inside from the start. */
export function Menu({ label, items, onClose }: Props): React.JSX.Element {
  const root = React.useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])
  ];
  const first = React.useRef<Element | null>(null);
  React.useEffect(() => {
    // lines come and go: the focus stays with what it was moved to, while that is there
    const at = document.activeElement;
    if (!root.current?.contains(at) || at === first.current) {
      const entry = entries().at(0) ?? null;
      first.current = entry;
      entry?.focus();
    }
  });
  const move = (step: number): void => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all.at((at + step) % all.length)?.focus();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => entries()[0]?.focus(),
    End: () => entries().at(-1)?.focus(),
    Escape: () => onClose(true),
    Tab: () => onClose(true)
  };
  return (
    <div
      ref={root}
      className="lv-Menu"
      role="menu"
      aria-label={label}
      data-lm-suppress-shortcuts="true"
      onKeyDown={event => {
        if (event.key in keys) {
          keys[event.key]();
          event.preventDefault();
        }
        event.stopPropagation();
      }}
      onBlur={event => {
        if (!root.current?.contains(event.relatedTarget as Node | null)) {
          onClose(false);
        }
      }}
    >
      {items.map((item, i) =>
        item === 'rule' ? (
          <hr key={i} />
        ) : 'heading' in item ? (
          <div key={item.heading} className="lv-Menu-head" role="presentation">
            {item.heading}
          </div>
        ) : (
          <button
            key={item.key ?? item.text}
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={item.checked}
            tabIndex={-1}
            // a mouse that rests where the menu opens chooses nothing
            onMouseMove={event => {
              if (event.movementX || event.movementY) {
                event.currentTarget.focus();
              }
            }}
            onClick={() => {
              onClose(true);
              item.run();
            }}
          >
            {item.checked ? <Icon name="check" /> : <Icon name={item.icon ?? 'none'} />}
            <span>{item.text}</span>
            {item.note && <em>{item.note}</em>}
          </button>
        )
      )}
    </div>
  );
}
