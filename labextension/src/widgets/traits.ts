// Generated from lakeview/notebook/widgets/traits.py by `python -m lakeview.notebook.typescript`. Do not edit.

export type Kind = 'equi' | 'composite' | 'transform' | 'fuzzy' | 'bridge';

export type How = 'left' | 'inner';

export type Keep = 'left' | 'inner' | 'right' | 'outer' | 'unmatched';

export type Verdict = '' | 'yes' | 'no';

/**
 * Names, which columns are numbers, cells as text ("" where a value is missing), and what is to be said of them.
 */
export interface FirstRows {
  columns: string[];
  numbers: boolean[];
  rows: string[][];
  note: string;
}

/**
 * A row of a result: numbers to sort by beside the words to show.
 *
 * id: the same in every answer to a question. stem: the table without folder and extension; full: table.column.
 * pro, con: what speaks for it and against it. share: of the asking rows that match, of its values where rows are not
 * counted; low, high: its interval. rows_out: -1 where it is not known. factor: by which rows grow, nothing where they
 * do not; effect: the same in words. alike: how many others it stands for. below: kept out of the ranking; common: as
 * a time, a flag or a category. step: joined after a step, not as it is.
 */
export interface HitRow {
  share: number;
  low: number;
  high: number;
  percent: string;
  without: string;
  spoken: string;
  id: string;
  rank: number;
  table: string;
  column: string;
  stem: string;
  extension: string;
  full: string;
  kind: Kind;
  note: string;
  alike: number;
  confidence: 'sure' | 'possible' | 'chance';
  line: string;
  pro: string[];
  con: string[];
  exact: boolean;
  rows_out: number;
  rows_text: string;
  factor: string;
  effect: string;
  warn: boolean;
  adds: number;
  adds_text: string;
  adds_names: string;
  below: boolean;
  common: boolean;
  step: boolean;
}

/**
 * The open row of a hit, from the index alone.
 *
 * missing: values that are not met, with how many rows have them. pro, con: what speaks for it and against it, with
 * names in backticks; measured: in numbers. matched, without: rows. rows: that come out, by each `Keep` that there
 * is; -1 where that is not known; about: "≈ " where these are estimates, else "". multiplies: whether a row meets
 * several. key: what its rows meet, in words. name: a free one for the result; taken: names that are not. cheap:
 * whether the first rows can be shown unasked.
 */
export interface Details {
  missing: string[][];
  missing_title: string;
  pro: string[];
  con: string[];
  measured: string;
  matched: number;
  without: number;
  rows: Record<string, number>;
  about: string;
  multiplies: boolean;
  key: string;
  name: string;
  taken: string[];
  cheap: boolean;
}

/**
 * What a column tells of the target, part by part. why: why nothing; empty where it does. of: the target, or a
 * category of it. span: the means of two parts, in words. share: of the target's variance that it explains; explained:
 * the same in words. mean: of all rows; all: the same in words. means, said, parts, rows: of each part its mean, the
 * same in words, its values, how many rows it has.
 */
export interface Told {
  why: string;
  of: string;
  span: string;
  share: number;
  explained: string;
  mean: number;
  all: string;
  means: number[];
  said: string[];
  parts: string[];
  rows: string[];
}

/**
 * A column that a join adds: what it is called in the result and in its table, its type, two values; where there is
 * a target, what it tells of it.
 */
export interface Get {
  name: string;
  column: string;
  type: string;
  samples: string;
  told?: Told;
}

/**
 * The first rows of a join: keys of mine, keys of theirs where they come out, what is new. untold: why nothing is
 * known of what the new columns tell of a target; empty where something is, or where there is none.
 */
export interface Joined {
  gets: Get[];
  mine: string[];
  theirs: string[];
  new: string[];
  numbers: boolean[];
  rows: string[][];
  untold: string;
}

/**
 * The head of an answer, and why there is nothing where there is nothing. Without a field until something answered.
 *
 * lines: title and note of what is out of the ranking, times, flags and categories first. closest: columns and their
 * overlap, where none joins. question: the same while an answer gets exact. shown: counts answers. lake:
 * the name of the lake's variable, or nothing. compare: whether the script offers that.
 */
export interface Answer {
  facts?: string[];
  closest?: string[][];
  possible?: string;
  why?: string[];
  problems?: number;
  lines?: string[][];
  question?: number;
  shown?: number;
  lake?: string;
  compare?: boolean;
}

/**
 * The search for what joins after a step. state: "none" where nothing is looked for. said: how far it is, in words.
 * tried, of: tables.
 */
export interface Steps {
  state: 'none' | 'looking' | 'stopped' | 'done';
  said: string;
  tried: number;
  of: number;
}

/**
 * `lv.explore(df)`. chosen: positions in `columns` of what is joined on, set by the script. targets: names of
 * columns that others may tell of; target: the position among them of the one that is chosen, -1 for none, set by the
 * script. busy: what runs, in words; empty: nothing. look: a class that no other widget's output has.
 */
export interface ExploreTraits {
  frame: string;
  columns: string[];
  chosen: number[];
  targets: string[];
  target: number;
  busy: string;
  error: string;
  answer: Answer;
  hits: HitRow[];
  steps: Steps;
  look: string;
}

/**
 * A column of a frame, or several that go together, with the best hit. asked: whether that was looked for yet.
 * chosen: positions in `columns`. values: distinct ones, as text. why: in place of a hit where there is none. more:
 * how many other hits are ranked. type: of a single column, as pandas or Spark names it.
 */
export interface ColumnLine {
  chosen: number[];
  name: string;
  type: string;
  asked: boolean;
  values: string;
  hit?: HitRow;
  why: string;
  more: number;
}

/**
 * `lv.explore(df)`: a line for each column; with `chosen`, the hits of those. whole: all lines are there.
 */
export interface OverviewTraits {
  frame: string;
  columns: string[];
  chosen: number[];
  targets: string[];
  target: number;
  busy: string;
  error: string;
  answer: Answer;
  hits: HitRow[];
  steps: Steps;
  look: string;
  overview: ColumnLine[];
  facts: string[];
  notes: string[];
  whole: boolean;
}

/**
 * hit, hits: ids. Details, editor, preview, join and copy are of one hit; stop and further, of the search for
 * steps. many: what becomes of several rows that one meets; name: of the result; dropped: columns of it that are left
 * out.
 */
export interface ExploreAct {
  do:
    | 'search'
    | 'cancel'
    | 'stop'
    | 'further'
    | 'problems'
    | 'compare'
    | 'details'
    | 'alike'
    | 'editor'
    | 'preview'
    | 'join'
    | 'copy';
  hit?: string;
  hits?: string[];
  how?: Keep;
  many?: string;
  name?: string;
  dropped?: string[];
}

/**
 * A point of a fuzzy join's curve. out: rows of a left join that keeps all pairs.
 */
export interface Point {
  threshold: number;
  pairs: number;
  low: number;
  high: number;
  exact: boolean;
  out: number;
}

/**
 * Two texts that are alike. number: by which it is judged. runner: the similarity of the second best; 0 where there
 * is none.
 */
export interface Pair {
  number: number;
  left: string;
  right: string;
  similarity: number;
  runner: number;
  verdict: Verdict;
}

/**
 * A fuzzy plan at each threshold that its handle can stand on. precision: expected, low and high, or nothing where
 * it is not known. kept: pairs of rows, `joined` where each row joins one at most. above, below: positions in
 * `pairs`.
 */
export interface FuzzyFacts {
  thresholds: number[];
  joined: number[];
  used: number[];
  kept: number[];
  precision: number[][];
  above: number[][];
  below: number[][];
  pairs: Pair[];
  curve: Point[];
  leftRows: number;
  rightRows: number;
}

/**
 * What is chosen, and what there is.
 */
export interface Choice {
  value: string;
  options: string[];
}

/**
 * What the analyst may choose of a fuzzy join.
 */
export interface Choices {
  tokeniser: Choice;
  measure: Choice;
  cardinality: Choice;
}

/**
 * What reaches the precision that was asked for. Without a field where none was asked for. before: the threshold
 * that was advised before the last judgement, by which the advice moved: "Yes", "No" or "change of mind".
 */
export interface Advice {
  threshold?: number;
  before?: number;
  by?: string;
  target?: number;
  reached?: boolean;
  text?: string;
  precision?: number;
}

/**
 * A join that an editor asks for. unmatched: of the rows alone that meet none. name: its variable's, a free one
 * where there is none; replaces: it may hold something.
 */
export interface Result {
  do: 'join' | 'copy';
  unmatched?: boolean;
  name?: string;
  replaces?: boolean;
}

/**
 * `lv.explore(plan)` of a fuzzy join. names: left and right column. ahead: what a match must be
 * beside its threshold, in words; nothing where that is enough. threshold: set by the script too. joins: whether the
 * plan joins anything. judged: accepted, rejected. result: a free name.
 */
export interface FuzzyTraits {
  names: string[];
  ahead: string;
  facts: FuzzyFacts;
  threshold: number;
  joins: boolean;
  how: How;
  choices: Choices;
  advice: Advice;
  evidence: string[];
  judged: number[];
  result: string;
  error: string;
  look: string;
}

/**
 * pair: a position in `FuzzyFacts.pairs`; an empty verdict takes it back. precision: to aim for. transform: look
 * for a program instead.
 */
export interface FuzzyAct {
  do: 'judge' | 'undo' | 'advise' | 'how' | 'compare' | 'keep' | 'preview' | 'name' | 'transform';
  pair?: number;
  verdict?: Verdict;
  precision?: number;
  how?: How;
  tokeniser?: string;
  measure?: string;
  cardinality?: string;
}

/**
 * What a program does to a row. before, after: pieces of text, each with the number of the step that took or made
 * it, 0 for none. nearest: of an uncovered row, the key most like it and how much; keys, meets: of any other.
 */
export interface Row {
  row: number;
  before: [string, number][];
  after: [string, number][];
  made: string;
  nearest?: [string, number] | null;
  keys?: string[];
  meets?: number;
}

/**
 * The first rows of each kind.
 */
export interface Rows {
  uncovered: Row[];
  ambiguous: Row[];
  covered: Row[];
}

/**
 * How many rows of each kind there are.
 */
export interface Counts {
  uncovered: number;
  ambiguous: number;
  covered: number;
}

/**
 * Rows of the side that has the keys, by how often they are met.
 */
export interface KeyCounts {
  once: number;
  several: number;
  never: number;
}

/**
 * A learned join. derived, keyed: names of the tables. reads: columns that the program reads. steps: of the first
 * program; more: what else the plan does, a line each.
 */
export interface PlanFacts {
  derived: string;
  keyed: string;
  reads: string[];
  key: string;
  steps: string[];
  more: string[];
  counts: Counts;
  rows: Rows;
  keys: KeyCounts;
}

/**
 * A plan in the list of programs.
 */
export interface Alternative {
  title: string;
  rows: string;
  note: string;
}

/**
 * `lv.explore(plans)`. names: source, target. sentence: rows out, what they are made of, and rows out where only
 * those without a match are kept. codes: by dialect. result: a free name.
 */
export interface TransformTraits {
  names: string[];
  alternatives: Alternative[];
  chosen: number;
  how: How;
  facts: PlanFacts;
  sentence: string[];
  codes: ['pandas' | 'pyspark' | 'sql', string][];
  result: string;
  busy: string;
  error: string;
  look: string;
}

/**
 * plan: a position in `alternatives`. row: of the side that the program reads; key: what it should make.
 */
export interface TransformAct {
  do: 'choose' | 'how' | 'correct' | 'wrong' | 'preview' | 'name';
  plan?: number;
  how?: How;
  row?: number;
  key?: string;
}

/**
 * What the kernel sends a script: code for a cell or to copy, details, first rows; of `hit` where it is of one.
 * taken: a name that exists.
 */
export interface Said {
  code?: string;
  then?: 'join' | 'copy';
  preview?: FirstRows;
  details?: Details;
  joined?: Joined;
  alike?: HitRow[];
  taken?: string;
  hit?: string;
}
