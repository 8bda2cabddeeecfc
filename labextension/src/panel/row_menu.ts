import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';

import { lakeIcon } from '../icon';
import { Code, code, lakeColumn, visible } from './code';
import { pick } from './commands';
import type { Model } from './model';
import { copied, named, warn } from './toasts';
import { frameOf, tableOf } from './tree';

const TABLE = '.lv-Panel .lv-Row[data-table]';
const FRAME = '.lv-Panel .lv-Row[data-frame]';

/** What a table of the lake, and a frame, offer in the panel: in their context menus. */
export function addRowMenus(app: JupyterFrontEnd, model: Model): void {
  const { commands } = app;
  const table = (): string | undefined => {
    const node = app.contextMenuHitTest(each => each.matches(TABLE));
    return node && tableOf.get(node);
  };
  const frame = (): Code | undefined => {
    const node = app.contextMenuHitTest(each => each.matches(FRAME));
    return node && frameOf.get(node);
  };
  /** Do something with the table that is pointed at; what goes wrong is said. */
  const withTable = (act: (name: string) => Promise<void>) => async (): Promise<void> => {
    const name = table();
    try {
      await (name === undefined ? undefined : act(name));
    } catch (error) {
      warn(name ?? model.name, error);
    }
  };
  let rank = 0;
  const add = (id: string, label: string, selector: string, execute: () => unknown): void => {
    const command = `lakeview:${id}`;
    const icon = id.startsWith('find') || id.startsWith('explore') ? lakeIcon : undefined;
    commands.addCommand(command, { label, icon, execute: () => void execute() });
    app.contextMenu.addItem({ command, selector, rank: rank++ });
  };

  add('preview-table', 'Preview 20 Rows', TABLE, () =>
    withTable(name => model.insert(code`%lakeview preview ${name}`))()
  );
  add('read-table', 'Insert Code That Reads It', TABLE, () =>
    withTable(async name => {
      const read = Code.ofKernel((await model.ask('read', { table: name })).code);
      if (!read) {
        throw new Error('The code that reads it holds characters that no cell can show.');
      }
      await model.insert(read);
    })()
  );
  add('find-joins-of-table', 'Find Joins for a Column…', TABLE, () =>
    withTable(async name => {
      const columns = model.state.lake?.tables.find(each => each.name === name)?.columns ?? [];
      const codes = columns.map(column => lakeColumn(name, column.name));
      const picked = await pick(codes, `${named(name)} has no column that is indexed.`);
      await (picked && model.insert(code`%lakeview search ${picked}`));
    })()
  );
  add('copy-path', 'Copy Path', TABLE, () =>
    withTable(async name => {
      const { path } = await model.ask('path', { table: name });
      await navigator.clipboard.writeText(visible(path));
      copied(path);
    })()
  );
  add('show-table', 'Show in File Browser', TABLE, () =>
    withTable(name => showFile(app, model, name))()
  );
  add('explore-frame', 'Find Joins for Every Column', FRAME, () => {
    const name = frame();
    return name && model.insert(code`%lakeview explore ${name}`);
  });
}

/** Show where a table, or a file with a problem, lies. */
export async function showFile(app: JupyterFrontEnd, model: Model, name: string): Promise<void> {
  const { path } = await model.ask('path', { table: name });
  const here = PathExt.dirname(model.notebook?.context.localPath ?? '');
  await app.commands.execute('filebrowser:go-to-path', {
    path: PathExt.join('/', here, path),
    dontShowBrowser: false
  });
}
