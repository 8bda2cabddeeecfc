import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog, Notification } from '@jupyterlab/apputils';

import { compareWith } from './compare';
import { findCode, HEADER, readHeader } from './header';
import { lakeIcon } from './icon';
import type { Model } from './model';

export const Commands = {
  find: 'lakeview:find-joins',
  findHeader: 'lakeview:find-joins-of-header',
  findRow: 'lakeview:find-joins-of-row',
  compare: 'lakeview:compare',
  compareHeader: 'lakeview:compare-header',
  compareRow: 'lakeview:compare-row',
  copyHeader: 'lakeview:copy-column-name',
  index: 'lakeview:index',
  cancel: 'lakeview:cancel',
  reload: 'lakeview:reload',
  stop: 'lakeview:stop-spark',
  java: 'lakeview:look-for-java',
  show: 'lakeview:show-panel'
};

/** Milliseconds that a notification stays; without it, it is only counted. */
export const SHOWN = 8000;

/** Row of the side panel whose column can be searched for. */
export const COLUMN_ROW = '.lv-Panel .lv-Row[data-lakeview]';

/** What lakeview adds to the palette and to the context menus. */
export function addCommands(app: JupyterFrontEnd, model: Model): void {
  const { commands } = app;
  const isPython = (): boolean => /python/.test(model.current?.content.codeMimetype ?? '');
  const search = (code: string, node?: Node): Promise<void> =>
    model.insert(`%lakeview search ${code}`, node);

  /** Says what is wrong where lakeview does not answer. */
  const connected = async (): Promise<boolean> => {
    if (await model.connect()) {
      return true;
    }
    const missing = model.state.phase === 'not-installed';
    Notification.warning(
      missing
        ? 'lakeview is not in this kernel: run %pip install lakeview'
        : `lakeview does not answer. ${model.state.error}`,
      { autoClose: SHOWN }
    );
    return false;
  };

  const compare = async (code: string, node?: Node): Promise<void> => {
    const { frames, lake } = model.state;
    const line = await compareWith(code, frames, lake);
    return line === null ? undefined : model.insert(line, node);
  };

  /** Ask which column of a frame, and do something with it. */
  const choose = async (act: (code: string) => Promise<void>, title?: string): Promise<void> => {
    if (!(await connected())) {
      return;
    }
    await model.reload();
    const codes = model.state.frames.flatMap(frame => frame.columns.map(column => column.code));
    const code = await pick(
      codes.filter(each => each !== null),
      'No DataFrame yet: run a cell that makes one.',
      title
    );
    return code === null ? undefined : act(code);
  };

  /** Do something with the column whose header is pointed at. */
  const withHeader = async (act: (code: string, node: Node) => Promise<void>): Promise<void> => {
    const node = header();
    const found = node && model.current && readHeader(node, model.current);
    if (!found || !(await connected())) {
      return;
    }
    await model.reload();
    const code = await pick(
      findCode(found, model.state.frames),
      `No DataFrame of this kernel has a column ${found.column}: run the cell again.`
    );
    return code === null ? undefined : act(code, found.node);
  };

  const row = (): string | undefined =>
    app.contextMenuHitTest(node => node.matches(COLUMN_ROW))?.dataset.lakeview;

  const header = (): HTMLElement | undefined =>
    app.contextMenuHitTest(node => node.matches(HEADER)) ?? undefined;

  commands.addCommand(Commands.find, {
    label: 'Find Joins for a Column…',
    caption: 'Find the columns of the lake that join with a column of a DataFrame',
    icon: lakeIcon,
    isVisible: isPython,
    isEnabled: isPython,
    execute: async args => {
      if (typeof args.code !== 'string') {
        return choose(search);
      }
      return (await connected()) ? search(args.code) : undefined;
    }
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
    execute: () => navigator.clipboard.writeText(header()?.textContent?.trim() ?? '')
  });

  commands.addCommand(Commands.findRow, {
    label: 'Find Joins',
    icon: lakeIcon,
    execute: () => {
      const code = row();
      return code ? search(code) : undefined;
    }
  });

  commands.addCommand(Commands.compareRow, {
    label: 'Compare with a Column…',
    execute: () => {
      const code = row();
      return code ? compare(code) : undefined;
    }
  });

  commands.addCommand(Commands.index, {
    label: 'Index the Lake',
    isEnabled: isPython,
    execute: async () => ((await connected()) ? model.index() : undefined)
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

  app.contextMenu.addItem({ command: Commands.findHeader, selector: HEADER, rank: 0 });
  app.contextMenu.addItem({ command: Commands.compareHeader, selector: HEADER, rank: 1 });
  app.contextMenu.addItem({ command: Commands.copyHeader, selector: HEADER, rank: 2 });
  app.contextMenu.addItem({ command: Commands.findRow, selector: COLUMN_ROW, rank: 0 });
  app.contextMenu.addItem({ command: Commands.compareRow, selector: COLUMN_ROW, rank: 1 });
}

/** The only one, or the one that the analyst picks; `none` is said where there is nothing to pick from. */
async function pick(
  codes: string[],
  none: string,
  title = 'Find joins for'
): Promise<string | null> {
  if (!codes.length) {
    Notification.info(none, { autoClose: SHOWN });
    return null;
  }
  if (codes.length === 1) {
    return codes[0];
  }
  const picked = await InputDialog.getItem({
    title,
    label: 'Column',
    items: codes
  });
  return picked.button.accept ? picked.value : null;
}
