import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';

import { parseSaved } from './saved';
import { drawTable, drawUnreadable } from './table';
// The look of lakeview's HTML too: Lab drops the style sheet from the HTML of a notebook that is not trusted.
import '../../style/style.css';

export const MIME_TYPE = 'application/vnd.lakeview.v1+json';

/** Shows a saved result with no kernel and no widget state: after a restart, from a file of somebody else. */
class SavedResult extends Widget implements IRenderMime.IRenderer {
  constructor() {
    super();
    this.addClass('lv-Output');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const saved = parseSaved(model.data[MIME_TYPE]);
    this.node.replaceChildren(saved ? drawTable(saved) : drawUnreadable());
  }
}

const extension: IRenderMime.IExtension = {
  id: 'lakeview:mime',
  description: 'Shows the results that lakeview saved in a notebook.',
  rendererFactory: {
    safe: true,
    mimeTypes: [MIME_TYPE],
    createRenderer: () => new SavedResult()
  },
  dataType: 'json',
  // After text/html (50), which is richer: this one shows what was saved without it.
  rank: 51
};

export default extension;
