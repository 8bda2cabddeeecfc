import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import * as React from 'react';

import { lakeIcon } from '../icon';
import type { Spark } from '../messages';
import { buttonLook } from '../parts/looks';
import { plural } from '../parts/numbers';
import { code, type Code } from './code';
import { Frames } from './frames';
import { Jobs, ProblemList } from './jobs';
import { LakeView } from './lake';
import type { Model, State } from './model';
import { Button, Icon, Section } from './parts';
import { Broken, NoJava, NoKernel, NoLake, NotInstalled, OtherLanguage } from './states';

/** What the panel asks of the application. */
export interface Actions {
  newNotebook: () => void;
  openSettings: () => void;
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
  return (
    <>
      <div className="lv-Panel-title">
        <h2>Lakeview</h2>
        {state.phase === 'ready' && (
          <Button icon="refresh" label="Look again" onClick={() => void model.reload(true)} />
        )}
        <Button icon="gear" label="Settings" onClick={actions.openSettings} />
      </div>
      <div className="lv-Panel-body">
        <Content model={model} state={state} actions={actions} />
      </div>
      <Foot state={state} onStop={model.canStopSpark ? () => void model.stopSpark() : null} />
    </>
  );
}

function Content({ model, state, actions }: BodyProps): React.JSX.Element {
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
      return <Sections model={model} state={state} />;
  }
}

function Sections({ model, state }: Omit<BodyProps, 'actions'>): React.JSX.Element {
  const [open, setOpen] = React.useState<Record<string, boolean>>({ frames: true, lake: true });
  const { frames, lake, problems, status } = state;
  const jobs = status?.jobs ?? [];
  const running = jobs.filter(job => job.state === 'running').length;
  const noJava = status?.spark.java === false;
  const find = (column: Code): void => void model.insert(code`%lakeview search ${column}`);
  const section = (name: string): { name: string; open: boolean; onToggle: () => void } => {
    const key = name.toLowerCase();
    const isOpen = open[key] ?? (key === 'jobs' && jobs.length > 0);
    return {
      name,
      open: isOpen,
      onToggle: () => setOpen(before => ({ ...before, [key]: !isOpen }))
    };
  };
  return (
    <>
      {state.error && (
        <p className="lv-Error" role="alert">
          <Icon name="error" /> {state.error}
        </p>
      )}
      <Section {...section('Frames')} note={frames.length ? String(frames.length) : 'none'}>
        <Frames frames={frames} onFind={find} />
      </Section>
      <Section
        {...section('Lake')}
        note={lake ? `${lake.name} · ${plural(lake.tables.length, 'table')}` : 'none open'}
      >
        {lake ? (
          <LakeView
            lake={lake}
            shapes={state.shapes}
            onOpen={table => void model.look(table)}
            onFind={find}
            onIndex={() => void model.index()}
          />
        ) : (
          <NoLake onInsert={cell => void model.insert(cell)} />
        )}
      </Section>
      {noJava && (
        <NoJava
          onInsert={cell => void model.insert(cell)}
          onCheck={() => void model.lookForJava()}
        />
      )}
      <Section
        {...section('Jobs')}
        note={running ? `${running} running` : jobs.length ? 'none running' : 'none'}
      >
        <Jobs jobs={jobs} onCancel={job => void model.cancel(job)} />
      </Section>
      <Section
        {...section('Problems')}
        note={problems.total ? plural(problems.total, 'problem') : 'none'}
      >
        <ProblemList problems={problems} />
      </Section>
    </>
  );
}

/** Spark's state, in a word, and a way to stop it. */
function Foot({ state, onStop }: { state: State; onStop: (() => void) | null }): React.JSX.Element {
  const [icon, text] = footing(state);
  return (
    <div className="lv-Panel-foot">
      <Icon name={icon} />
      <span role="status">{text}</span>
      {onStop && (
        <button
          type="button"
          className={buttonLook('plain')}
          aria-label="Stop Spark"
          title="Stop Spark and free its memory; it starts again when needed"
          onClick={onStop}
        >
          Stop
        </button>
      )}
    </div>
  );
}

function footing({ phase, status }: State): [string, string] {
  if (phase === 'no-kernel') {
    return ['ring', 'Waiting for a kernel'];
  }
  if (phase !== 'ready' || !status) {
    return ['ring', 'Not connected'];
  }
  const { state, detail, own, java }: Spark = status.spark;
  if (state === 'running') {
    const words = ['Spark running', detail, own ? '' : 'your session'];
    return ['dot', words.filter(Boolean).join(' · ')];
  }
  if (state === 'starting') {
    return ['half', 'Spark is starting'];
  }
  if (state === 'lost') {
    return ['warn', 'Spark stopped · starts when needed'];
  }
  return java === false
    ? ['warn', 'Spark unavailable · no Java']
    : ['ring', 'Spark asleep · starts when needed'];
}
