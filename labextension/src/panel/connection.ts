import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import {
  TARGET,
  type Push,
  type Reply,
  type Request,
  type Results,
  type Status
} from '../messages';

/** What a request may carry beside its kind. */
export type Asked = Partial<Omit<Request, 'id' | 'kind'>>;

const NOTHING = { job: null, refresh: false, table: null, path: null, hits: null, hit: null };

/** lakeview's answer to "are you there?" */
export type Presence = { there: true } | { there: false; missing: boolean; why: string };

const PROBE = "__import__('lakeview.notebook.panel.comm', fromlist=['register']).register()";

/** One comm to one kernel. A request resolves with the reply of its id, also while a cell runs. */
export class Connection {
  constructor(readonly kernel: Kernel.IKernelConnection) {}

  /** The kernel's state, whenever it says that it changed. */
  get pushed(): ISignal<this, Status> {
    return this._pushed;
  }

  get isOpen(): boolean {
    return this._comm !== null && !this._comm.isDisposed;
  }

  /** Open the comm; where the kernel does not know it yet, lakeview is imported there first. */
  async open(): Promise<Presence> {
    if (await this._tryOpen()) {
      return { there: true };
    }
    const presence = await this._probe();
    if (presence.there && !(await this._tryOpen())) {
      return { there: false, missing: false, why: 'The kernel closed the connection.' };
    }
    return presence;
  }

  /** Ask; rejects with the kernel's message, or when the connection closes. */
  request<K extends keyof Results>(kind: K, more: Asked = {}): Promise<Results[K]> {
    const comm = this._comm;
    if (!comm || comm.isDisposed) {
      return Promise.reject(new Error('Not connected to the kernel.'));
    }
    const id = ++this._last;
    const answer = new Promise<unknown>((resolve, reject) => {
      this._waiting.set(id, { resolve, reject });
    });
    const message: Request = { ...NOTHING, id, kind, ...more };
    comm.send({ ...message });
    return answer as Promise<Results[K]>;
  }

  close(): void {
    const comm = this._comm;
    this._comm = null;
    this._fail('The connection to the kernel was closed.');
    if (comm && !comm.isDisposed && !this.kernel.isDisposed && this.kernel.status !== 'dead') {
      comm.close();
    }
  }

  /** The kernel is gone or restarts: there is nobody to say goodbye to. */
  drop(): void {
    this._comm = null;
    this._fail('The kernel has stopped.');
  }

  private async _tryOpen(): Promise<boolean> {
    const comm = this.kernel.createComm(TARGET);
    if (this.kernel.supportsSubshells) {
      // Before that, messages would wait behind the cell that runs.
      await (comm as { subshellStarted?: Promise<void> }).subshellStarted;
    }
    return new Promise(resolve => {
      comm.onMsg = message => {
        this._comm = comm;
        resolve(true);
        this._receive(message.content.data);
      };
      comm.onClose = () => {
        this._comm = null;
        this._fail('The kernel closed the connection.');
        resolve(false);
      };
      comm.open();
    });
  }

  private async _probe(): Promise<Presence> {
    const content: KernelMessage.IExecuteRequestMsg['content'] = {
      code: '',
      silent: true,
      store_history: false,
      user_expressions: { lakeview: PROBE }
    };
    const reply = await this.kernel.requestExecute(content).done;
    const said = reply.content as { user_expressions?: Record<string, JSONObject> };
    const result = said.user_expressions?.lakeview;
    if (result?.status === 'ok') {
      return { there: true };
    }
    const why = String(result?.evalue ?? 'The kernel did not answer.');
    return { there: false, missing: /^No module named 'lakeview\b/.test(why), why };
  }

  private _receive(data: unknown): void {
    const message = data as Partial<Push & Reply>;
    if (message.push) {
      this._pushed.emit(message.push);
      return;
    }
    const waiting = this._waiting.get(message.id ?? 0);
    this._waiting.delete(message.id ?? 0);
    if (message.error) {
      waiting?.reject(new Error(message.error.message));
    } else {
      waiting?.resolve(message.result);
    }
  }

  private _fail(why: string): void {
    for (const { reject } of this._waiting.values()) {
      reject(new Error(why));
    }
    this._waiting.clear();
  }

  private _comm: Kernel.IComm | null = null;
  private _last = 0;
  private readonly _waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  private readonly _pushed = new Signal<this, Status>(this);
}
