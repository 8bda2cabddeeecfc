import { h, icon } from '../parts/dom';
import { count } from '../parts/numbers';
import { glyph } from '../parts/types';
import { COLUMNS, makeRow } from './hit_row';
import type { ColumnLine, HitRow } from './traits';

/** The sentence of a column's head in the grid; the same words here. */
const said = (name: string): string => COLUMNS.find(column => column.name === name)?.sentence ?? '';

/** Class, head, its sentence. */
export const PARTS: [name: string, head: string, sentence: string][] = [
  ['lv-mark', 'Mark', 'Mark columns to search for them together'],
  ['lv-type', 'Type', 'What its values are'],
  ['lv-yours', 'Your column', 'A column of yours, or several that go together'],
  ['lv-values lv-num', 'Values', 'Distinct values of your column'],
  ['lv-sure', 'How sure', said('lv-why')],
  ['lv-best', 'Best hit', 'The column of the lake that joins best with it'],
  ['lv-reason', 'Why', 'What was matched'],
  ['lv-match', 'Rows matched', said('lv-match')],
  ['lv-more lv-num', 'More', 'Other hits, sure or possible']
];

/** Whether a line has nothing to join on: no hit, or one by chance. */
export const isMuted = ({ asked, hit }: ColumnLine): boolean =>
  asked && (!hit || (hit.below && !hit.common) || hit.confidence === 'chance');

/** The cells of a column's line: parts of its best hit's row, in other places. */
export function drawCells(line: ColumnLine, isMarked: boolean): HTMLElement[] {
  const { hit } = line;
  const inside: (Node | string)[][] = hit ? partsOf(hit) : [['none'], [], [line.why], []];
  if (!line.asked) {
    inside[0] = ['…'];
    inside[2] = ['searching …'];
  }
  const type = line.chosen.length > 1 ? '&' : line.type && glyph(line.type);
  const yours = [h('code', {}, line.name)];
  const all = [drawMark(line, isMarked), [type], yours, [line.values], ...inside];
  all.push([line.more ? `+${count(line.more)}` : '']);
  return PARTS.map(([name], i) =>
    name === 'lv-yours'
      ? h('th', { class: name, role: 'rowheader', scope: 'row' }, ...all[i])
      : h('td', { class: name, role: 'gridcell' }, ...all[i])
  );
}

/** A tick for a column by itself; several are together already. */
function drawMark({ chosen, name }: ColumnLine, isMarked: boolean): Node[] {
  if (chosen.length > 1) {
    return [];
  }
  const tick = h('input', { type: 'checkbox', tabindex: -1, 'aria-label': `Mark ${name}` });
  tick.checked = isMarked;
  return [tick];
}

/** How sure, the hit, why, and the bar. */
function partsOf(hit: HitRow): (Node | string)[][] {
  const [, kind, name, why, match] = [...makeRow(hit, 'cell').children];
  const [word, text] = [...why.firstElementChild!.children];
  const warning = [icon('warn', 'warning: fan-out'), ` ${hit.factor}`];
  const look = { class: 'lv-warn', title: hit.effect };
  const costs = hit.warn ? [' ', h('span', look, ...warning)] : [];
  return [
    [word],
    [...kind.childNodes, ...name.childNodes],
    [text, ...costs],
    [...match.childNodes]
  ];
}
