import * as React from 'react';

import { buttonLook, iconLook } from '../parts/looks';
import type { Code } from './code';

/** An icon; `label` where it says something that no word beside it says. */
export function Icon({ name, label }: { name: string; label?: string }): React.JSX.Element {
  const { class: className, ...said } = iconLook(name, label);
  return <span className={className} {...said} />;
}

interface ButtonProps {
  children?: React.ReactNode;
  icon?: string;
  /** The accessible name of a button without a word. */
  label?: string;
  accept?: boolean;
  onClick: () => void;
}

export function Button({ children, icon, label, accept, onClick }: ButtonProps): React.JSX.Element {
  const look = accept
    ? buttonLook('accept')
    : children
      ? buttonLook()
      : buttonLook('plain', 'icon');
  return (
    <button type="button" className={look} aria-label={label} title={label} onClick={onClick}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface SectionProps {
  name: string;
  note: string;
  open: boolean;
  onToggle: () => void;
  /** What can be done with it, beside its heading. */
  action?: React.ReactNode;
  children: React.ReactNode;
}

/** A section of the panel: a heading that opens and closes it. */
export function Section(props: SectionProps): React.JSX.Element {
  const { name, note, open, onToggle, action, children } = props;
  const id = `lv-section-${name.toLowerCase()}`;
  return (
    <section className="lv-Sec" data-section={name.toLowerCase()}>
      <div className="lv-Sec-head">
        <h3>
          <button
            type="button"
            className="lv-Sec-title"
            aria-expanded={open}
            aria-controls={id}
            onClick={onToggle}
          >
            <Icon name={open ? 'down' : 'right'} />
            <span>{name}</span>
            <em>{note}</em>
          </button>
        </h3>
        {action}
      </div>
      <div id={id} hidden={!open}>
        {open && children}
      </div>
    </section>
  );
}

interface NoticeProps {
  icon: string;
  title: string;
  alert?: boolean;
  children: React.ReactNode;
}

/** What stands where something is missing: what, why, what to do. */
export function Notice({ icon, title, alert, children }: NoticeProps): React.JSX.Element {
  return (
    <div className="lv-State" role={alert ? 'alert' : undefined}>
      <Icon name={icon} />
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** A line of code with a button that copies it, and says that it did. */
export function Snippet({ code }: { code: Code }): React.JSX.Element {
  const [copied, setCopied] = React.useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(String(code));
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <div className="lv-Snippet">
      <code>{String(code)}</code>
      <Button
        icon={copied ? 'check' : 'copy'}
        label={copied ? 'Copied' : `Copy ${String(code)}`}
        onClick={() => void copy()}
      />
    </div>
  );
}
