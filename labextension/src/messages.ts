// Generated from lakeview/notebook/panel/messages.py by `python -m lakeview.notebook.typescript`. Do not edit.

export const TARGET = 'lakeview';
export const PROTOCOL = 1;

export type Kind =
  | 'status'
  | 'frames'
  | 'lake'
  | 'shapes'
  | 'problems'
  | 'index'
  | 'cancel'
  | 'java'
  | 'stop'
  | 'join'
  | 'preview';

/**
 * A column of a DataFrame. code: what `%lakeview search` takes for it, `df.dest` or `df["a b"]`; null where it
 * takes none (a label that is a tuple).
 */
export interface FrameColumn {
  name: string;
  type: string;
  code: string | null;
}

/**
 * A DataFrame among the kernel's variables; `note` says why its columns are not listed.
 */
export interface Frame {
  name: string;
  library: 'pandas' | 'Spark';
  columns: FrameColumn[];
  note: string | null;
}

/**
 * All of them, the oldest variable first.
 */
export interface Frames {
  frames: Frame[];
}

/**
 * A column of the lake, over all rows of its table; `%lakeview search` takes `table.column`.
 */
export interface LakeColumn {
  name: string;
  type: string;
  distinct: number;
  nulls: number;
  key: boolean;
}

/**
 * A table of the lake; rows as they were when it was indexed.
 */
export interface LakeTable {
  name: string;
  format: string;
  rows: number;
  columns: LakeColumn[];
}

/**
 * The lake that `%lakeview` means. indexed_at: ISO 8601, null where it is not indexed yet.
 */
export interface Lake {
  name: string;
  indexed_at: string | null;
  tables: LakeTable[];
}

/**
 * How often the values of each column of a table occur: heights of a few bars, 1 to 100, the most frequent values
 * first. Empty where only a sketch is kept. In the order of `LakeTable.columns`.
 */
export interface Shapes {
  table: string;
  bars: number[][];
}

/**
 * Plain code for a cell.
 */
export interface Code {
  code: string;
}

/**
 * The first rows of a join, as `application/vnd.lakeview.v1+json` holds a table.
 */
export interface Preview {
  table: unknown;
}

/**
 * null where no lake is open.
 */
export interface LakeAnswer {
  lake: Lake | null;
}

/**
 * A file that could not be read as it stands.
 */
export interface Problem {
  table: string;
  problem: string;
  detail: string;
  count: number;
}

/**
 * At most the first few hundred; `total` counts all.
 */
export interface Problems {
  problems: Problem[];
  total: number;
}

/**
 * A piece of long work. total 0: how much there is to do is not known yet. seconds: since it began, or in all.
 */
export interface Job {
  id: number;
  title: string;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  done: number;
  total: number;
  message: string;
  seconds: number;
}

/**
 * java: null until somebody has looked. detail: where it runs. own: lakeview started it, and may stop it.
 */
export interface Spark {
  state: 'asleep' | 'starting' | 'running' | 'lost';
  detail: string;
  own: boolean;
  java: boolean | null;
}

/**
 * Cheap to make; `lake` and `frames` change when what the panel shows of them is old. magics: whether `%lakeview`
 * is there already.
 */
export interface Status {
  version: string;
  protocol: number;
  spark: Spark;
  jobs: Job[];
  lake: string;
  magics: boolean;
}

/**
 * Why a request has no answer. kind: the name of the exception.
 */
export interface Failure {
  kind: string;
  message: string;
}

/**
 * kind: status, frames, lake, problems; shapes of the columns of `table`; index begins a job; cancel stops the job
 * of number `job`; java looks for it again; stop stops the session that lakeview started. refresh: read the
 * index on disk again. join: code for hit number `hit` of the result `hits` on display; preview: its first rows.
 */
export interface Request {
  id: number;
  kind: Kind;
  job: number | null;
  refresh: boolean;
  table: string | null;
  hits: string | null;
  hit: number | null;
}

/**
 * Exactly one of `result` and `error` is not null.
 */
export interface Reply {
  id: number;
  result: unknown;
  error: Failure | null;
}

/**
 * The kernel's state, sent when it changes; at most four times a second while a job runs.
 */
export interface Push {
  push: Status;
}

/** What each kind of request is answered with. */
export interface Results {
  status: Status;
  frames: Frames;
  lake: LakeAnswer;
  shapes: Shapes;
  problems: Problems;
  index: Status;
  cancel: Status;
  java: Status;
  stop: Status;
  join: Code;
  preview: Preview;
}
