import type { ISessionContext } from '@jupyterlab/apputils';
import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import type { Frame, Joined, Lake, Problems, Results, Status } from '../messages';
import { insertCell } from './cells';
import { code, type Code } from './code';
import { Connection, type Asked } from './connection';

/** What the panel can show at all. */
export type Phase =
  'no-kernel' | 'other-language' | 'connecting' | 'not-installed' | 'broken' | 'ready';

export interface State {
  phase: Phase;
  /** The kernel's name, for people. */
  kernel: string;
  /** Why it is broken, or what went wrong last. */
  error: string;
  status: Status | null;
  frames: Frame[];
  /** The likeliest join of each column of frames that were opened, by frame. */
  joins: Record<string, (Joined | null)[]>;
  lake: Lake | null;
  /** Histograms of the columns of tables that were opened, by table. */
  shapes: Record<string, number[][]>;
  problems: Problems;
}

const PATIENCE = 700; // milliseconds that a kernel has to hear of a cancel

const EMPTY: State = {
  phase: 'no-kernel',
  kernel: '',
  error: '',
  status: null,
  frames: [],
  joins: {},
  lake: null,
  shapes: {},
  problems: { problems: [], total: 0 }
};

/** The state of the current notebook's kernel as lakeview sees it, and one signal that says it changed. */
export class Model {
  constructor(private readonly _tracker: INotebookTracker) {
    _tracker.currentChanged.connect(this._follow, this);
    NotebookActions.executed.connect((_, { notebook }) => {
      if (notebook === this._notebook?.content) {
        void this._afterCell();
      }
    });
  }

  /** Whether cells that are inserted run at once (a setting). */
  runsCells = true;

  get state(): State {
    return this._state;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The notebook that the panel is about. */
  get notebook(): NotebookPanel | null {
    return this._notebook;
  }

  /** The notebook that is in front now. */
  get current(): NotebookPanel | null {
    return this._tracker.currentWidget;
  }

  /** What people call that notebook. */
  get name(): string {
    return this.current?.title.label ?? 'No notebook';
  }

  /** Somebody looks: connect to the kernel now, and to each that follows. */
  show(): void {
    this._shown = true;
    this._follow();
    void this.connect();
  }

  hide(): void {
    this._shown = false;
  }

  /** Connect to the current kernel unless that is done; says whether lakeview answers there. */
  async connect(again = false): Promise<boolean> {
    if (!this._notebook) {
      this._follow();
    }
    if (again) {
      this._connecting = null;
    }
    this._connecting ??= this._connect();
    await this._connecting;
    return this._state.phase === 'ready';
  }

  /** Ask for everything again; `refresh` also reads the index on disk again. */
  async reload(refresh = false): Promise<void> {
    await this._attempt(async connection => {
      const { lake } = await connection.request('lake', { refresh });
      const [status, problems, { frames }] = await Promise.all([
        connection.request('status'),
        connection.request('problems'),
        connection.request('frames')
      ]);
      this._stamp = status.lake;
      this._set({ status, lake, shapes: {}, problems, frames, error: '' });
    });
  }

  /** Index the lake, by a cell: the notebook is the record. */
  async index(): Promise<void> {
    await this.insert(code`%lakeview index`);
  }

  /** Ask the job to stop; a kernel that is too busy with its cell to listen is interrupted. */
  async cancel(job: number): Promise<void> {
    await this._attempt(async connection => {
      const asked = connection.request('cancel', { job });
      asked.catch(() => undefined); // it may be answered when nobody waits any more
      const late = new Promise<null>(done => setTimeout(() => done(null), PATIENCE));
      const status = await Promise.race([asked, late]);
      if (status) {
        this._set({ status });
      } else if (connection.kernel.status === 'busy') {
        await connection.kernel.interrupt();
      }
    });
  }

  /** Ask for the histograms of an open table, once. */
  async look(table: string): Promise<void> {
    if (table in this._state.shapes) {
      return;
    }
    this._state.shapes[table] = [];
    await this._attempt(async connection => {
      const { bars } = await connection.request('shapes', { table });
      this._set({ shapes: { ...this._state.shapes, [table]: bars } });
    });
  }

  /** Ask which columns of an open frame join, once for each frame and state of the lake. */
  async lookForJoins(frame: Frame): Promise<void> {
    const stamp = `${frame.stamp} ${this._stamp}`;
    if (!this._state.lake?.indexed_at || this._lookedAt.get(frame.name) === stamp) {
      return;
    }
    this._lookedAt.set(frame.name, stamp);
    await this._attempt(async connection => {
      const { columns } = await connection.request('joins', { table: frame.name });
      if (this._lookedAt.get(frame.name) === stamp) {
        this._set({ joins: { ...this._state.joins, [frame.name]: columns } });
      }
    });
  }

  /** Whether Spark runs and is lakeview's own: a session of the analyst's is hers to stop. */
  get canStopSpark(): boolean {
    const { phase, status } = this._state;
    return phase === 'ready' && !!status?.spark.own && status.spark.state === 'running';
  }

  async stopSpark(): Promise<void> {
    await this._attempt(async connection => {
      this._set({ status: await connection.request('stop') });
    });
  }

  async lookForJava(): Promise<void> {
    await this._attempt(async connection => {
      await connection.request('java');
    });
  }

  /** Ask the current notebook's kernel; rejects with what went wrong, in words. */
  async ask<K extends keyof Results>(kind: K, more: Asked): Promise<Results[K]> {
    if (!(await this.connect()) || !this._connection) {
      throw new Error('lakeview does not answer in this kernel: run the cell again.');
    }
    return this._connection.request(kind, more);
  }

  /** Insert a cell of plain code; a `%lakeview` line brings the extension that it needs. */
  async insert(cell: Code, node?: Node): Promise<void> {
    if (!this._notebook) {
      return;
    }
    const notebook = this._notebook;
    const load = String(cell).startsWith('%lakeview') && (await this._lacksMagics());
    const whole = load ? code`%load_ext lakeview\n${cell}` : cell;
    this._loads ||= load && this.runsCells;
    await insertCell(notebook, whole, this.runsCells, node);
  }

  /** Whether the kernel has yet to load the extension, and no cell of ours does: asked anew, as a cell may just have. */
  private async _lacksMagics(): Promise<boolean> {
    if (!this._loads && !this._state.status?.magics) {
      await this._attempt(async connection => this._take(await connection.request('status')));
    }
    return !this._loads && !this._state.status?.magics;
  }

  private async _attempt(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = this._connection;
    if (!connection?.isOpen) {
      return;
    }
    try {
      await work(connection);
    } catch (error) {
      if (connection === this._connection) {
        this._set({ error: (error as Error).message });
      }
    }
  }

  private async _afterCell(): Promise<void> {
    if (this._state.phase === 'not-installed') {
      await this.connect(true);
      return;
    }
    await this._attempt(async connection => {
      const { frames } = await connection.request('frames');
      this._set({ frames });
      this._take(await connection.request('status'));
    });
  }

  /** A new status; what the panel shows of another lake is asked for again. */
  private _take(status: Status): void {
    this._set({ status });
    if (status.lake !== this._stamp) {
      this._stamp = status.lake;
      void this._attempt(async connection => {
        const { lake } = await connection.request('lake');
        this._set({ lake, shapes: {}, problems: await connection.request('problems') });
      });
    }
  }

  private _follow(): void {
    const current = this._tracker.currentWidget;
    if (current === this._notebook) {
      return;
    }
    const context = this._notebook?.sessionContext;
    context?.kernelChanged.disconnect(this._onKernel, this);
    context?.statusChanged.disconnect(this._onStatus, this);
    this._notebook = current;
    current?.sessionContext.kernelChanged.connect(this._onKernel, this);
    current?.sessionContext.statusChanged.connect(this._onStatus, this);
    this._onKernel();
  }

  private _onKernel(): void {
    this._connection?.close();
    this._connection = null;
    this._connecting = null;
    this._loads = false;
    this._set({ ...EMPTY });
    if (this._shown) {
      void this.connect();
    }
  }

  /** A restarted kernel has forgotten its comms, and so do we; the first idle one is asked again. */
  private _onStatus(_: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
      this._connection?.drop();
      this._connection = null;
      this._connecting = null;
      this._loads = false;
      this._restarted = status !== 'dead';
      this._set({ ...EMPTY, phase: this._restarted ? 'connecting' : 'no-kernel' });
    } else if (status === 'idle' && this._restarted) {
      this._restarted = false;
      if (this._shown) {
        void this.connect();
      }
    }
  }

  private async _connect(): Promise<void> {
    this._lookedAt.clear();
    this._connection?.close();
    this._connection = null;
    const context = this._notebook?.sessionContext;
    await context?.ready;
    const kernel = context?.session?.kernel;
    if (!context || !kernel) {
      this._set({ ...EMPTY });
      return;
    }
    this._set({ ...EMPTY, phase: 'connecting', kernel: context.kernelDisplayName });
    const { language_info: language } = await kernel.info;
    if (language.name !== 'python') {
      this._set({ phase: 'other-language' });
      return;
    }
    const connection = new Connection(kernel);
    this._connection = connection;
    connection.pushed.connect((_, status) => {
      if (connection === this._connection && this._state.phase === 'ready') {
        this._take(status);
      }
    });
    const presence = await connection.open();
    if (connection !== this._connection) {
      return;
    }
    if (presence.there) {
      this._set({ phase: 'ready' });
      await this.reload();
    } else {
      this._set({ phase: presence.missing ? 'not-installed' : 'broken', error: presence.why });
    }
  }

  private readonly _lookedAt = new Map<string, string>();

  private _set(change: Partial<State>): void {
    this._state = { ...this._state, ...change };
    this._changed.emit();
  }

  private _state: State = EMPTY;
  private _stamp = '';
  private _shown = false;
  private _restarted = false;
  private _notebook: NotebookPanel | null = null;
  private _connection: Connection | null = null;
  private _connecting: Promise<void> | null = null;
  /** Whether a cell that runs, or did, loads the extension. */
  private _loads = false;
  private readonly _changed = new Signal<this, void>(this);
}
