// Generated from lakeview/notebook/panel/messages.py by `python -m lakeview.notebook.typescript`. Do not edit.

export const TARGET = 'lakeview';
export const PROTOCOL = 1;

export type Gravity = 'error' | 'warning' | 'note';

export type Kind =
  | 'status'
  | 'frames'
  | 'joins'
  | 'lake'
  | 'shapes'
  | 'problems'
  | 'places'
  | 'folders'
  | 'cost'
  | 'read'
  | 'path'
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
 * A DataFrame among the kernel's variables; `note` says why its columns are not listed. rows: null of a Spark
 * frame, which would have to count. code: the variable. stamp: another one where the variable holds another frame.
 */
export interface Frame {
  name: string;
  code: string;
  stamp: string;
  library: 'pandas' | 'Spark';
  rows: number | null;
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
 * The likeliest join of a frame's column. to: table and column in short; name: in full.
 */
export interface Joined {
  to: string;
  name: string;
  confidence: string;
}

/**
 * The likeliest join of each column, in the order of `Frame.columns`, null where it has none but by chance; no
 * columns where the frame was not looked at.
 */
export interface Joins {
  frame: string;
  columns: (Joined | null)[];
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
 * The lake that `%lakeview` means. indexed_at: ISO 8601, null where it is not indexed yet. path: its folder, as
 * `Place` has it; null where it is no folder.
 */
export interface Lake {
  name: string;
  path: string | null;
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
 * Where something lies, as code in the kernel names it.
 */
export interface Path {
  path: string;
}

/**
 * What indexing the open lake will take: the files that are new or changed, their bytes, and about how many
 * seconds; spark: of which Spark takes so many to start, null where it is done in the kernel's process.
 */
export interface Cost {
  files: number;
  bytes: number;
  seconds: number;
  spark: number | null;
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
 * A folder that was opened as a lake before. path: as `%lakeview open` takes it here; tables, indexed_at: as they
 * were when it was last open.
 */
export interface Place {
  name: string;
  path: string;
  tables: number;
  indexed_at: string | null;
}

/**
 * The last ones that are still there, the newest first.
 */
export interface Places {
  recent: Place[];
}

/**
 * A folder that completes what was typed. files: that could be tables, at most a few hundred; more: there are more
 * than that.
 */
export interface Folder {
  path: string;
  files: number;
  more: boolean;
}

/**
 * there: what was typed can be opened. near: what may have been meant, null where nothing comes near.
 */
export interface Folders {
  there: boolean;
  near: string | null;
  folders: Folder[];
}

/**
 * A file that could not be read as it stands. error: it is left out; warning: some of it is; note: it was read all
 * the same.
 */
export interface Problem {
  table: string;
  says: string;
  gravity: Gravity;
}

/**
 * The worst first, at most the first few hundred; `total` counts all.
 */
export interface Problems {
  problems: Problem[];
  total: number;
}

/**
 * A piece of long work; message: what it does, and how far; how: what else there is to say of that. total 0: how
 * much there is to do is not known yet. seconds: since it began, or in all; left: about how many more, null where
 * nothing can be told; ago: since it ended, null while it runs.
 */
export interface Job {
  id: number;
  title: string;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  done: number;
  total: number;
  message: string;
  how: string;
  seconds: number;
  left: number | null;
  ago: number | null;
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
 * kind: status, frames, lake, problems, places, cost; joins of the frame `table`; shapes of the columns of `table`,
 * code that reads it, its path; folders that begin with `path`;
 * cancel stops the job of number `job`; java looks for it again; stop stops the session that lakeview started.
 * refresh: read the index on disk again. join: code for hit number `hit` of the result `hits` on display; preview:
 * its first rows.
 */
export interface Request {
  id: number;
  kind: Kind;
  job: number | null;
  refresh: boolean;
  table: string | null;
  path: string | null;
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
  joins: Joins;
  lake: LakeAnswer;
  shapes: Shapes;
  problems: Problems;
  places: Places;
  folders: Folders;
  cost: Cost;
  read: Code;
  path: Path;
  cancel: Status;
  java: Status;
  stop: Status;
  join: Code;
  preview: Preview;
}
