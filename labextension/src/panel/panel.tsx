import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { lakeIcon } from '../icon';
import { plural } from '../parts/numbers';
import { code, type Code } from './code';
import { Frames } from './frames';
import { Head } from './head';
import { LakeView } from './lake';
import type { Model, State } from './model';
import { OpenLake } from './open';
import { Button, Icon, Section } from './parts';
import { writeRecipe } from './recipe';
import { OpenSheet } from './sheet';
import { Broken, NoKernel, NotInstalled, OtherLanguage } from './states';
import { Strip, type Sheet } from './strip';

/** What the panel asks of the application. */
export interface Actions {
  newNotebook: () => void;
  openSettings: () => void;
  /** Shows where a file of the lake lies; undefined where there is no file browser. */
  showFile?: (name: string) => void;
  /** Asks for a folder, as the kernel of the notebook in front reads it; undefined where nothing can ask. */
  pickFolder?: () => Promise<string | null>;
}

/** lakeview's side panel. */
export class Panel extends ReactWidget {
  constructor(
    private readonly _model: Model,
    private readonly _actions: Actions
  ) {
    super();
    this.id = 'lakeview-panel';
    this.title.icon = lakeIcon;
    this.title.caption = 'Lakeview';
    this.addClass('lv');
    this.addClass('lv-Panel');
    this.node.setAttribute('role', 'complementary');
    this.node.setAttribute('aria-label', 'Lakeview');
  }

  protected render(): React.JSX.Element {
    return (
      <UseSignal signal={this._model.changed}>
        {() => <Body model={this._model} state={this._model.state} actions={this._actions} />}
      </UseSignal>
    );
  }

  protected onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._model.show();
  }

  protected onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._model.show();
    }
  }

  /** Shown by a command: the keyboard goes on from here, at the first column or frame. */
  protected onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.tabIndex = -1;
    (this.node.querySelector<HTMLElement>('[role=tree] [tabindex="0"]') ?? this.node).focus();
  }

  protected onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._model.hide();
  }
}

interface BodyProps {
  model: Model;
  state: State;
  actions: Actions;
}

function Body({ model, state, actions }: BodyProps): React.JSX.Element {
  const [menu, setMenu] = React.useState(false);
  const [sheet, setSheet] = React.useState<Sheet>(null);
  const [typing, setTyping] = React.useState(false);
  const running = state.status?.jobs.find(job => job.state === 'running');
  React.useEffect(() => setTyping(false), [state.lake?.path, state.phase]);
  const isOver = state.phase !== 'ready' || (sheet === 'problems' && !state.problems.total);
  React.useEffect(() => {
    if (isOver) {
      setSheet(null);
    }
  }, [isOver]);

  const escape = (): boolean => {
    if (running) {
      void model.cancel(running.id);
    } else {
      setSheet(null);
    }
    return Boolean(running ?? sheet);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const typed = (event.target as Element).matches('input');
    const keys: Record<string, () => boolean> = {
      Escape: escape,
      ...(typed ? {} : { l: () => show(() => setMenu(true)), L: () => show(() => setMenu(true)) }),
      ...(typed ? {} : { '!': () => show(() => setSheet('problems')), '/': focusFilter })
    };
    if (keys[event.key]?.()) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const show = (act: () => void): boolean => {
    if (state.phase === 'ready') {
      act();
    }
    return state.phase === 'ready';
  };
  return (
    <div className="lv-Panel-whole" onKeyDown={onKeyDown}>
      <Head
        model={model}
        state={state}
        menu={menu}
        setMenu={setMenu}
        onType={() => setTyping(true)}
        pickFolder={actions.pickFolder}
        onSettings={actions.openSettings}
      />
      <div className="lv-Panel-body">
        <Content
          model={model}
          state={state}
          actions={actions}
          typing={typing}
          onTyped={() => setTyping(false)}
        />
      </div>
      <OpenSheet
        model={model}
        state={state}
        sheet={sheet}
        onShowFile={actions.showFile}
        onClose={() => setSheet(null)}
      />
      <Strip model={model} state={state} sheet={sheet} setSheet={setSheet} />
    </div>
  );
}

/** The filter of the lake takes the keyboard; false where there is none. */
function focusFilter(): boolean {
  const box = document.querySelector<HTMLElement>('#lakeview-panel input[type=search]');
  box?.focus();
  return box !== null;
}

interface ContentProps extends BodyProps {
  /** A folder is to be typed, in the place of the lake. */
  typing: boolean;
  onTyped: () => void;
}

function Content(props: ContentProps): React.JSX.Element {
  const { model, state, actions } = props;
  const insert = (cell: Code): void => void model.insert(cell);
  const check = (): void => void model.connect(true);
  switch (state.phase) {
    case 'no-kernel':
      return <NoKernel onNew={actions.newNotebook} />;
    case 'other-language':
      return <OtherLanguage kernel={state.kernel} />;
    case 'connecting':
      return <p className="lv-None">Asking {state.kernel || 'the kernel'} …</p>;
    case 'not-installed':
      return <NotInstalled kernel={state.kernel} onInsert={insert} onCheck={check} />;
    case 'broken':
      return <Broken error={state.error} onCheck={check} />;
    case 'ready':
      return <Sections {...props} />;
  }
}

function Sections({ model, state, actions, typing, onTyped }: ContentProps): React.JSX.Element {
  const [open, setOpen] = React.useState<Record<string, boolean>>({ frames: true, lake: true });
  const { frames, lake } = state;
  const find = (column: Code): void => void model.insert(code`%lakeview search ${column}`);
  const section = (name: string): { name: string; open: boolean; onToggle: () => void } => {
    const key = name.toLowerCase();
    return {
      name,
      open: open[key],
      onToggle: () => setOpen(before => ({ ...before, [key]: !before[key] }))
    };
  };
  return (
    <>
      {state.error && (
        <p className="lv-Error" role="alert">
          <Icon name="error" /> {state.error}
        </p>
      )}
      <Section
        {...section('Frames')}
        note={frames.length ? String(frames.length) : 'none'}
        action={
          frames.length > 0 && (
            <Button
              icon="doc"
              label="Recipe: write down what was joined here, to make it again"
              onClick={() => void writeRecipe(model)}
            >
              Recipe
            </Button>
          )
        }
      >
        <Frames
          frames={frames}
          joins={state.joins}
          onOpen={frame => void model.lookForJoins(frame)}
          onFind={find}
        />
      </Section>
      <Section {...section('Lake')} note={lakeNote(state)}>
        {lake && !typing ? (
          <LakeView model={model} lake={lake} shapes={state.shapes} onFind={find} />
        ) : (
          <OpenLake
            model={model}
            pickFolder={actions.pickFolder}
            onCancel={lake ? onTyped : undefined}
          />
        )}
      </Section>
    </>
  );
}

function lakeNote({ lake }: State): string {
  if (!lake) {
    return 'none open';
  }
  return lake.indexed_at ? plural(lake.tables.length, 'table') : 'not indexed';
}
