// What Python reads of the front end, made of lib and style: each widget's script as one module with no import, its
// styles in their order as one sheet, and the sheet of the outputs.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rspack } from '@rspack/core';

const WIDGETS = {
  explore: ['style', 'controls', 'explore'],
  overview: ['style', 'controls', 'explore', 'overview'],
  fuzzy: ['style', 'controls', 'explore', 'join_foot', 'fuzzy'],
  transform: ['style', 'controls', 'join_foot', 'transform']
};
const SHEETS = { style: ['style'], ...WIDGETS };

const at = path => fileURLToPath(new URL(path, import.meta.url));
const TO = at('../lakeview/notebook/built/');

rmSync(TO, { recursive: true, force: true });
mkdirSync(TO);
for (const [name, sheets] of Object.entries(SHEETS)) {
  const texts = sheets.map(sheet => readFileSync(at(`style/${sheet}.css`), 'utf8'));
  writeFileSync(`${TO}${name}.css`, texts.join(''));
}

const entries = Object.keys(WIDGETS).map(name => [name, at(`lib/widgets/${name}.js`)]);
const bundler = rspack({
  mode: 'production',
  target: ['web', 'es2022'],
  entry: Object.fromEntries(entries),
  output: { path: TO, filename: '[name].js', module: true, library: { type: 'module' } },
  experiments: { outputModule: true },
  devtool: false
});
bundler.run((error, stats) => {
  if (error || stats.hasErrors()) {
    console.error(error ?? stats.toString('errors-only'));
    process.exitCode = 1;
  }
  bundler.close(() => undefined);
});
