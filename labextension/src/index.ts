import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

/**
 * lakeview's part of the application itself: nothing is shown yet. The side panel, the context menu
 * and the commands find their place here, one plugin each.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'lakeview:plugin',
  description: 'Finds the tables of a data lake that join with the DataFrames of a notebook.',
  autoStart: true,
  activate: () => undefined
};

const plugins: JupyterFrontEndPlugin<unknown>[] = [plugin];
export default plugins;
