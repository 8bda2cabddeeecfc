import * as React from 'react';

import type { Folder, Folders, Place } from '../messages';
import { buttonLook } from '../parts/looks';
import { count } from '../parts/numbers';
import type { Model } from './model';
import { Button, Icon } from './parts';
import { browse, DEMO, line, open } from './places';

interface Props {
  model: Model;
  pickFolder?: () => Promise<string | null>;
  /** Where a lake is open already: leave it at that. */
  onCancel?: () => void;
}

/** Name a folder: a field that completes, the lakes of before, and one to try things with. */
export function OpenLake({ model, pickFolder, onCancel }: Props): React.JSX.Element {
  const [recent, setRecent] = React.useState<Place[]>([]);
  React.useEffect(() => {
    void model.ask('places', {}).then(
      places => setRecent(places.recent),
      () => undefined
    );
  }, []);
  return (
    <div className="lv-Open">
      <h4>Open a lake</h4>
      <p>A folder of tables: CSV, JSON lines, Parquet …</p>
      <PathField model={model} pickFolder={pickFolder} onCancel={onCancel} />
      {recent.length > 0 && (
        <>
          <h5 id="lv-recent">Recent</h5>
          <ul className="lv-List" aria-labelledby="lv-recent">
            {recent.map(place => (
              <Choice
                key={place.path}
                icon="lake"
                name={place.name}
                note={line(place)}
                onClick={() => void open(model, place.path)}
              />
            ))}
          </ul>
        </>
      )}
      <h5 id="lv-demo">No tables at hand?</h5>
      <ul className="lv-List" aria-labelledby="lv-demo">
        <Choice
          icon="table"
          name="Demo lake"
          note="56 public tables, written here"
          onClick={() => void model.insert(DEMO)}
        />
      </ul>
    </div>
  );
}

interface ChoiceProps {
  icon: string;
  name: string;
  note: string;
  onClick: () => void;
}

function Choice({ icon, name, note, onClick }: ChoiceProps): React.JSX.Element {
  return (
    <li>
      <button type="button" title={note} onClick={onClick}>
        <Icon name={icon} />
        <span>
          <b>{name}</b>
          <small>{note}</small>
        </span>
      </button>
    </li>
  );
}

const WAIT = 100; // milliseconds after a key press until the kernel is asked

/** A path: completed while it is typed; one that is not there is told beneath, and leaves no cell. */
function PathField({ model, pickFolder, onCancel }: Props): React.JSX.Element {
  const [text, setText] = React.useState('');
  const [found, setFound] = React.useState<Folder[]>([]);
  const [place, setPlace] = React.useState(-1);
  const [wrong, setWrong] = React.useState<{ path: string; near: string | null } | null>(null);
  const timer = React.useRef(0);
  const asked = React.useRef(0);

  const ask = async (path: string): Promise<Folders | null> => {
    const mine = ++asked.current;
    const answer = await model.ask('folders', { path });
    return mine === asked.current ? answer : null;
  };
  const type = (path: string): void => {
    setText(path);
    setWrong(null);
    setPlace(-1);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      void ask(path).then(
        answer => {
          if (answer) {
            setFound(path ? answer.folders : []);
            setPlace(-1);
          }
        },
        () => setFound([])
      );
    }, WAIT);
  };
  React.useEffect(() => () => clearTimeout(timer.current), []);
  const take = (path: string): void => type(path);
  const close = (): void => {
    clearTimeout(timer.current);
    asked.current++; // an answer on its way opens nothing
    setFound([]);
    setPlace(-1);
  };
  const submit = async (path: string): Promise<void> => {
    const typed = path.trim();
    close();
    if (!typed) {
      return;
    }
    const answer = await ask(typed).catch(() => null);
    if (answer && !answer.there) {
      setWrong({ path: typed, near: answer.near });
    } else if (answer) {
      await open(model, typed);
      onCancel?.();
    }
  };
  const step = (by: number): void => setPlace(Math.min(Math.max(place + by, -1), found.length - 1));
  const keys: Record<string, (() => void) | undefined> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Tab: found.length ? () => take(found[Math.max(place, 0)].path) : undefined,
    Enter: () => (place >= 0 ? take(found[place].path) : void submit(text)),
    Escape: found.length ? close : onCancel
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void submit(text);
      }}
    >
      <input
        className="lv-Input"
        role="combobox"
        aria-label="Folder of the lake"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls="lv-folders"
        aria-activedescendant={place >= 0 ? `lv-folder-${place}` : undefined}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? 'lv-wrong' : undefined}
        data-lm-suppress-shortcuts="true"
        autoComplete="off"
        spellCheck={false}
        placeholder="data/"
        value={text}
        onChange={event => type(event.target.value)}
        onBlur={event => {
          if (!event.currentTarget.form?.contains(event.relatedTarget as Node | null)) {
            close();
          }
        }}
        onKeyDown={event => {
          const act = event.shiftKey ? undefined : keys[event.key];
          if (act) {
            act();
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      />
      <ul
        id="lv-folders"
        className="lv-Drop"
        role="listbox"
        aria-label="Folders"
        hidden={!found.length}
      >
        {found.map((folder, i) => (
          <li
            key={folder.path}
            id={`lv-folder-${i}`}
            role="option"
            aria-selected={i === place}
            onMouseDown={event => event.preventDefault()}
            onClick={() => take(folder.path)}
          >
            <Icon name="folder" />
            <span>{folder.path}</span>
            <em>{files(folder)}</em>
          </li>
        ))}
      </ul>
      {wrong && (
        <p id="lv-wrong" className="lv-Wrong" role="alert">
          <Icon name="error" />
          <span>
            There is no folder <code>{wrong.path}</code>.
            {wrong.near && (
              <>
                {' '}
                Did you mean{' '}
                <button type="button" className="lv-Link" onClick={() => void submit(wrong.near!)}>
                  {wrong.near}
                </button>
                ?
              </>
            )}
          </span>
        </p>
      )}
      <div className="lv-Actions">
        <button type="submit" className={buttonLook('accept')}>
          Open
        </button>
        {pickFolder && (
          <Button icon="folder" onClick={() => void browse(model, pickFolder).then(onCancel)}>
            Browse…
          </Button>
        )}
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}

function files({ files: number, more }: Folder): string {
  return `${count(number)}${more ? '+' : ''} file${number === 1 && !more ? '' : 's'}`;
}
