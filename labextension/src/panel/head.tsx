import * as React from 'react';

import type { Place } from '../messages';
import { buttonLook } from '../parts/looks';
import { code } from './code';
import { Menu, type Item } from './menu';
import type { Model, State } from './model';
import { Button, Icon } from './parts';
import { browse, DEMO, open, tables } from './places';

interface Props {
  model: Model;
  state: State;
  /** The lake's menu is open. */
  menu: boolean;
  setMenu: (open: boolean) => void;
  /** A folder is to be typed. */
  onType: () => void;
  /** Asks for a folder in Lab's own dialog; undefined where there is none. */
  pickFolder?: () => Promise<string | null>;
  onSettings: () => void;
}

/** The notebook that the panel is about, the lake that it works with, and the menu of lakes. */
export function Head(props: Props): React.JSX.Element {
  const { model, state, menu, setMenu, onSettings } = props;
  const button = React.useRef<HTMLButtonElement>(null);
  const [recent, setRecent] = React.useState<Place[]>([]);
  const notebook = model.notebook?.title.label;
  React.useEffect(() => {
    if (menu) {
      void model.ask('places', {}).then(
        places => setRecent(places.recent),
        () => setRecent([])
      );
    }
  }, [menu]);
  return (
    <div className="lv-PanelHead">
      <h2 className="lv-Sr">Lakeview</h2>
      {notebook ? (
        <span className="lv-PanelHead-book" title="The notebook that this panel is about">
          <Icon name="doc" />
          <span>{notebook}</span>
        </span>
      ) : (
        <span className="lv-PanelHead-book">Lakeview</span>
      )}
      {state.phase === 'ready' && (
        <>
          <span aria-hidden="true">·</span>
          <button
            ref={button}
            type="button"
            className={`${buttonLook('plain')} lv-LakeButton`}
            aria-haspopup="menu"
            aria-expanded={menu}
            aria-label={`Lake: ${state.lake?.name ?? 'none'}`}
            onClick={() => setMenu(!menu)}
            // so that a click while the menu is open closes it, and does not open it again
            onMouseDown={event => menu && event.preventDefault()}
          >
            <Icon name="lake" />
            <span>{state.lake?.name ?? 'no lake'}</span>
            <Icon name="down" />
          </button>
        </>
      )}
      <span className="lv-Spring" />
      <Button icon="gear" label="Settings" onClick={onSettings} />
      {menu && (
        <Menu
          label="Lakes"
          items={items(props, recent)}
          onClose={back => {
            setMenu(false);
            if (back) {
              button.current?.focus();
            }
          }}
        />
      )}
    </div>
  );
}

function items({ model, state, onType, pickFolder }: Props, recent: Place[]): Item[] {
  const { lake } = state;
  const rule = 'rule' as const;
  const places = recent.map(place => ({
    text: place.name,
    key: `lake ${place.path}`, // a folder may have the name of another line
    note: tables(place),
    checked: place.path === lake?.path,
    run: () => void open(model, place.path)
  }));
  const found: Item[] = places.length ? [{ heading: 'Recent lakes' }, ...places, rule] : [];
  if (pickFolder) {
    found.push({
      text: 'Browse…',
      icon: 'folder',
      run: () => void browse(model, pickFolder)
    });
  }
  found.push({ text: 'Type a folder…', icon: 'edit', run: onType });
  found.push({
    text: 'Demo lake',
    icon: 'table',
    note: 'public tables',
    run: () => void model.insert(DEMO)
  });
  found.push(rule);
  if (lake) {
    found.push({
      text: lake.indexed_at ? 'Index what changed' : 'Index it',
      icon: 'refresh',
      run: () => void model.insert(code`%lakeview index`)
    });
  }
  found.push({ text: 'Look again', icon: 'eye', run: () => void model.reload(true) });
  if (model.canStopSpark) {
    found.push({
      text: 'Stop Spark',
      icon: 'stop',
      note: 'frees its memory',
      run: () => void model.stopSpark()
    });
  }
  return found;
}
