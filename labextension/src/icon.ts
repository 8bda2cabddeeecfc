import { LabIcon } from '@jupyterlab/ui-components';

const WAVE =
  'c1.2 0 1.8-.9 3.5-.9s2.3.9 3.5.9 1.8-.9 3.5-.9 2.3.9 3.5.9v1.5' +
  'c-1.7 0-2.3-.9-3.5-.9s-1.8.9-3.5.9-2.3-.9-3.5-.9-1.8.9-3.5.9z';

/** Three waves. */
export const lakeIcon = new LabIcon({
  name: 'lakeview:lake',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16"><path class="jp-icon3 jp-icon-selectable" fill="#616161" d="M1 4.6${WAVE}M1 8.3${WAVE}M1 12${WAVE}"/></svg>`
});
