import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import { FileDialog, type IFileBrowserFactory } from '@jupyterlab/filebrowser';

import { lakeIcon } from '../icon';
import type { Model } from './model';
import { open } from './places';

const OPEN = 'lakeview:open-folder';
const FOLDER = '.jp-DirListing-item[data-isdir="true"]';

/** A function that asks for a folder in Lab's dialog, and says it as the notebook's kernel reads it. */
export function folderPicker(
  manager: IDocumentManager,
  model: Model
): () => Promise<string | null> {
  return async () => {
    const picked = await FileDialog.getExistingDirectory({
      manager,
      title: 'Open a folder as lake'
    });
    const folder = picked.button.accept ? picked.value?.[0] : undefined;
    return folder ? fromNotebook(manager.services.contents.localPath(folder.path), model) : null;
  };
}

/** "Open as Lake" for the folders of the file browser; where no notebook is open, in a new one. */
export function addFolderCommand(
  app: JupyterFrontEnd,
  model: Model,
  factory: IFileBrowserFactory
): void {
  app.commands.addCommand(OPEN, {
    label: 'Open as Lake',
    caption: 'Open this folder of tables in the notebook in front',
    icon: lakeIcon,
    execute: async () => {
      const items = factory.tracker.currentWidget?.selectedItems();
      const folder = items && [...items].find(item => item.type === 'directory');
      if (!folder) {
        return;
      }
      if (!model.current) {
        await app.commands.execute('notebook:create-new', { kernelName: 'python3' });
      }
      app.shell.activateById('lakeview-panel');
      await model.connect();
      const { contents } = app.serviceManager;
      await open(model, fromNotebook(contents.localPath(folder.path), model));
    }
  });
  app.contextMenu.addItem({ command: OPEN, selector: FOLDER, rank: 1 });
}

/** A path of Lab's as the kernel of the notebook reads it: that runs in the notebook's folder. */
function fromNotebook(path: string, model: Model): string {
  const here = PathExt.dirname(model.notebook?.context.localPath ?? '');
  return PathExt.relative(`/${here}`, `/${path}`) || '.';
}
