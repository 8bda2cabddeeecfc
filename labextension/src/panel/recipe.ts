import { PathExt } from '@jupyterlab/coreutils';

import { code } from './code';
import type { Model } from './model';

/** Write the recipe of the notebook's joins beside it, under its name, by a cell that says what was written. */
export async function writeRecipe(model: Model): Promise<void> {
  const path = model.notebook?.context.path ?? '';
  const name = PathExt.basename(path, PathExt.extname(path));
  await model.insert(code`%lakeview recipe ${`${name}.recipe.json`}`);
}
