const NUMBERS = new Intl.NumberFormat('en');

/** 1,458; nothing is shortened. */
export function count(value: number): string {
  return NUMBERS.format(value);
}

export function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}
