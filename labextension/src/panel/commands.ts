import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog } from '@jupyterlab/apputils';

import { lakeIcon } from '../icon';
import { code, visible, type Code } from './code';
import { columnsOf, compareWith } from './compare';
import { findCode, HEADER, readHeader } from './header';
import type { Model } from './model';
import { writeRecipe } from './recipe';
import { copied, named, tell, warn } from './toasts';
import { codeOf } from './tree';

export const Commands = {
  find: 'lakeview:find-joins',
  findHeader: 'lakeview:find-joins-of-header',
  findRow: 'lakeview:find-joins-of-row',
  compare: 'lakeview:compare',
  compareHeader: 'lakeview:compare-header',
  compareRow: 'lakeview:compare-row',
  copyHeader: 'lakeview:copy-column-name',
  recipe: 'lakeview:write-recipe',
  index: 'lakeview:index',
  cancel: 'lakeview:cancel',
  reload: 'lakeview:reload',
  stop: 'lakeview:stop-spark',
  java: 'lakeview:look-for-java',
  show: 'lakeview:show-panel'
};

/** Row of the side panel whose column can be searched for. */
export const COLUMN_ROW = '.lv-Panel .lv-Row[data-lakeview]';

/** What lakeview adds to the palette and to the context menus. */
export function addCommands(app: JupyterFrontEnd, model: Model): void {
  const { commands } = app;
  const isPython = (): boolean => /python/.test(model.current?.content.codeMimetype ?? '');
  const search = (column: Code, node?: Node): Promise<void> =>
    model.insert(code`%lakeview search ${column}`, node);

  /** Says what is wrong where lakeview does not answer. */
  const connected = async (): Promise<boolean> => {
    if (await model.connect()) {
      return true;
    }
    const missing = model.state.phase === 'not-installed';
    const why = missing
      ? 'lakeview is not in its kernel: run %pip install lakeview'
      : `lakeview does not answer. ${model.state.error}`;
    warn(model.name, new Error(why));
    return false;
  };

  const compare = async (column: Code, node?: Node): Promise<void> => {
    const { frames, lake, joins } = model.state;
    const likely = frames.flatMap(frame =>
      frame.columns.map((each, i) =>
        each.code === String(column) ? (joins[frame.name]?.[i]?.name ?? '') : ''
      )
    );
    const line = await compareWith(column, frames, lake, likely.filter(Boolean));
    return line === null ? undefined : model.insert(line, node);
  };

  /** Ask which column of a frame, and do something with it. */
  const choose = async (act: (column: Code) => Promise<void>, title?: string): Promise<void> => {
    if (!(await connected())) {
      return;
    }
    await model.reload();
    const columns = model.state.frames.flatMap(columnsOf);
    const none = `No DataFrame in ${named(model.name)} yet: run a cell that makes one.`;
    const picked = await pick(columns, none, title);
    return picked === null ? undefined : act(picked);
  };

  /** Do something with the column whose header is pointed at. */
  const withHeader = async (act: (column: Code, node: Node) => Promise<void>): Promise<void> => {
    const node = header();
    const found = node && model.current && readHeader(node, model.current);
    if (!found || !(await connected())) {
      return;
    }
    await model.reload();
    const picked = await pick(
      findCode(found, model.state.frames),
      `No DataFrame in ${named(model.name)} has a column ${named(found.column)}: run the cell again.`
    );
    return picked === null ? undefined : act(picked, found.node);
  };

  const row = (): Code | undefined => {
    const node = app.contextMenuHitTest(each => each.matches(COLUMN_ROW));
    return node && codeOf.get(node);
  };

  const header = (): HTMLElement | undefined =>
    app.contextMenuHitTest(node => node.matches(HEADER)) ?? undefined;

  commands.addCommand(Commands.find, {
    label: 'Find Joins for a Column…',
    caption: 'Find the columns of the lake that join with a column of a DataFrame',
    icon: lakeIcon,
    isVisible: isPython,
    isEnabled: isPython,
    execute: () => choose(search)
  });

  commands.addCommand(Commands.compare, {
    label: 'Compare Two Columns…',
    caption: 'How many values two columns share, and what share of each that is',
    isVisible: isPython,
    isEnabled: isPython,
    execute: () => choose(compare, 'Compare')
  });

  commands.addCommand(Commands.findHeader, {
    label: () => {
      const column = header()?.textContent?.trim();
      return column ? `Find Joins for ${column}` : 'Find Joins';
    },
    icon: lakeIcon,
    isVisible: () => isPython() && Boolean(header()?.textContent?.trim()),
    execute: () => withHeader(search)
  });

  commands.addCommand(Commands.compareHeader, {
    label: 'Compare with a Column…',
    isVisible: () => isPython() && Boolean(header()?.textContent?.trim()),
    execute: () => withHeader(compare)
  });

  commands.addCommand(Commands.copyHeader, {
    label: 'Copy Column Name',
    isVisible: () => isPython() && Boolean(header()?.textContent?.trim()),
    execute: async () => {
      const name = header()?.textContent?.trim() ?? '';
      await navigator.clipboard.writeText(visible(name));
      copied(name);
    }
  });

  commands.addCommand(Commands.findRow, {
    label: 'Find Joins',
    icon: lakeIcon,
    execute: () => {
      const column = row();
      return column && search(column);
    }
  });

  commands.addCommand(Commands.compareRow, {
    label: 'Compare with a Column…',
    execute: () => {
      const column = row();
      return column && compare(column);
    }
  });

  commands.addCommand(Commands.index, {
    label: 'Index the Lake',
    isEnabled: isPython,
    execute: async () => ((await connected()) ? model.index() : undefined)
  });

  commands.addCommand(Commands.recipe, {
    label: 'Write a Recipe of This Notebook',
    caption: 'What was joined here, as a file that makes it again and as a plain script',
    isVisible: isPython,
    isEnabled: isPython,
    execute: async () => ((await connected()) ? writeRecipe(model) : undefined)
  });

  commands.addCommand(Commands.cancel, {
    label: 'Cancel Running Jobs',
    isEnabled: () => Boolean(model.state.status?.jobs.some(job => job.state === 'running')),
    execute: () =>
      model.state.status?.jobs
        .filter(job => job.state === 'running')
        .forEach(job => void model.cancel(job.id))
  });

  commands.addCommand(Commands.reload, {
    label: 'Look at Frames and Lake Again',
    isEnabled: isPython,
    execute: async () => ((await connected()) ? model.reload(true) : undefined)
  });

  commands.addCommand(Commands.stop, {
    label: 'Stop Spark',
    caption: 'Free its memory; it starts again when needed',
    isEnabled: () => model.canStopSpark,
    execute: () => model.stopSpark()
  });

  commands.addCommand(Commands.java, {
    label: 'Look for Java Again',
    isEnabled: isPython,
    execute: async () => ((await connected()) ? model.lookForJava() : undefined)
  });

  commands.addCommand(Commands.show, {
    label: 'Show Lakeview',
    icon: lakeIcon,
    execute: () => app.shell.activateById('lakeview-panel')
  });

  // Before all that Lab offers for a cell: who points at a header means its column.
  app.contextMenu.addItem({ command: Commands.findHeader, selector: HEADER, rank: -4 });
  app.contextMenu.addItem({ command: Commands.compareHeader, selector: HEADER, rank: -3 });
  app.contextMenu.addItem({ command: Commands.copyHeader, selector: HEADER, rank: -2 });
  app.contextMenu.addItem({ type: 'separator', selector: HEADER, rank: -1 });
  app.contextMenu.addItem({ command: Commands.findRow, selector: COLUMN_ROW, rank: 0 });
  app.contextMenu.addItem({ command: Commands.compareRow, selector: COLUMN_ROW, rank: 1 });
}

/** The only one, or the one that the analyst picks; `none` is said where there is nothing to pick from. */
export async function pick(
  columns: Code[],
  none: string,
  title = 'Find joins for'
): Promise<Code | null> {
  if (!columns.length) {
    tell(none);
    return null;
  }
  if (columns.length === 1) {
    return columns[0];
  }
  const items = columns.map(String);
  const picked = await InputDialog.getItem({ title, label: 'Column', items });
  return picked.button.accept ? (columns[items.indexOf(picked.value ?? '')] ?? null) : null;
}
