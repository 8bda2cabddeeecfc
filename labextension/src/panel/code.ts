/**
 * Code for a cell: what the kernel wrote, or what `code` below writes; nothing else can be inserted. Names of columns,
 * tables and files are a stranger's, and IPython ends a line at eleven characters: U+2028 and a `!` would run a shell.
 * The kernel's own door is lakeview/notebook/cells.py.
 */
export class Code {
  private constructor(private readonly _text: string) {}

  toString(): string {
    return this._text;
  }

  /** What the kernel wrote; null where it wrote nothing, or what runs otherwise than it is seen. */
  static ofKernel(text: unknown): Code | null {
    return typeof text === 'string' && !UNSEEN.test(text) ? new Code(text) : null;
  }

  /** Pieces of this source, and names between them: a text is written as a literal. */
  static write(pieces: readonly string[], names: (Code | string | number)[]): Code {
    const written = names.map(name => (typeof name === 'string' ? literal(name) : String(name)));
    return new Code(pieces.map((piece, i) => piece + (written[i] ?? '')).join(''));
  }
}

/** code`%lakeview open ${path}` */
export function code(pieces: TemplateStringsArray, ...names: (Code | string | number)[]): Code {
  return Code.write(pieces, names);
}

/** A column of the lake as `%lakeview` reads it: `airports.csv.faa`, `"a b.csv"["x y"]`. */
export function lakeColumn(table: string, column: string): Code {
  const plain = TABLE.test(table) && WORD.test(column) && isPlain(table) && isPlain(column);
  return plain ? Code.write([`${table}.${column}`], []) : code`${table}[${column}]`;
}

/** A name on one line, what is not seen of it as Python's escapes: for people, and to be pasted between quotes. */
export function visible(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}]|[^\P{Z} ]/gu, escape);
}

const UNSEEN = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}]|[^\P{Z} ]/u; // controls, formats, halves of characters, separators
const INERT = /^[\x20-\x7e\p{L}]$/u;
const FILLERS = /[\u115f\u1160\u3164\uffa0]/; // letters that nobody sees
const TABLE = /^[\p{L}\d_][\p{L}\d_-]*(\/[\p{L}\d_][\p{L}\d_-]*)*(\.[\p{L}\d_][\p{L}\d_-]*)+$/u;
const WORD = /^[\p{L}_][\p{L}\d_]*$/u;

/** As `join.naming.literal` writes a text in Python. */
function literal(text: string): string {
  const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
  const inert = (character: string): string =>
    character === quote || character === '\\'
      ? `\\${character}`
      : INERT.test(character) && !FILLERS.test(character)
        ? character
        : escape(character);
  return quote + Array.from(text, inert).join('') + quote;
}

function isPlain(text: string): boolean {
  return literal(text) === `"${text}"`;
}

function escape(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  const number = character.codePointAt(0)!.toString(16);
  return (
    short ?? (number.length < 5 ? `\\u${number.padStart(4, '0')}` : `\\U${number.padStart(8, '0')}`)
  );
}
