import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { listenToOutputs } from './panel/acts';
import { addCommands, Commands } from './panel/commands';
import { addFolderCommand, folderPicker } from './panel/folders';
import { listenToWidgets, tellWidgets } from './panel/insert';
import { Model } from './panel/model';
import { Panel } from './panel/panel';
import { addRowMenus, showFile } from './panel/row_menu';
import { warn } from './panel/toasts';
import '../style/icons.css';
import '../style/panel.css';
import '../style/strip.css';
import '../style/open.css';
import '../style/controls.css';

const ID = 'lakeview:plugin';

/** lakeview's part of the application: the side panel, its commands, and what both know of the kernel. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Finds the tables of a data lake that join with the DataFrames of a notebook.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [
    ICommandPalette,
    ILayoutRestorer,
    ISettingRegistry,
    IDocumentManager,
    IFileBrowserFactory
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    documents: IDocumentManager | null,
    browsers: IFileBrowserFactory | null
  ) => {
    const model = new Model(tracker);
    const panel = new Panel(model, {
      newNotebook: () =>
        void app.commands.execute('notebook:create-new', { kernelName: 'python3' }),
      openSettings: () =>
        void app.commands
          .execute('settingeditor:open', { query: 'Lakeview' })
          .catch(() => undefined),
      showFile: browsers
        ? name => void showFile(app, model, name).catch(error => warn(name, error))
        : undefined,
      pickFolder: documents ? folderPicker(documents, model) : undefined
    });
    addCommands(app, model);
    addRowMenus(app, model);
    if (browsers) {
      addFolderCommand(app, model, browsers);
    }
    listenToWidgets(model, tracker);
    tellWidgets(tracker);
    listenToOutputs(model, tracker);
    for (const name of ['show', 'find', 'compare', 'index', 'recipe', 'cancel', 'stop'] as const) {
      const command = Commands[name];
      palette?.addItem({ command, category: 'Lakeview' });
    }
    restorer?.add(panel, panel.id);
    void place(app, panel, model, settings);
  }
};

/** Put the panel on the side that the settings name; without settings, on the left. */
async function place(
  app: JupyterFrontEnd,
  panel: Panel,
  model: Model,
  registry: ISettingRegistry | null
): Promise<void> {
  const settings = await registry?.load(ID).catch(() => undefined);
  const read = (): void => {
    model.runsCells = settings?.get('runInsertedCells').composite !== false;
    const side = settings?.get('side').composite === 'right' ? 'right' : 'left';
    if (panel.parent === null || panel.node.dataset.side !== side) {
      const isOpen = panel.isVisible;
      panel.node.dataset.side = side;
      app.shell.add(panel, side, { rank: 350 });
      if (isOpen) {
        app.shell.activateById(panel.id);
      }
    }
  };
  settings?.changed.connect(read);
  read();
}

export default [plugin];
