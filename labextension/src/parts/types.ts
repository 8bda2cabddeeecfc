/** The kind of a column's type in three letters. */
export function glyph(type: string): string {
  const kind = type.toLowerCase();
  if (/bool/.test(kind)) {
    return 'y/n';
  }
  if (/date|time/.test(kind)) {
    return 'day';
  }
  if (/float|double|decimal|number/.test(kind)) {
    return '1.2';
  }
  if (/int|long|short|byte/.test(kind)) {
    return '123';
  }
  return /array|struct|map|list/.test(kind) ? '[ ]' : 'abc';
}
