import * as React from 'react';

import { code, type Code } from './code';
import { Button, Notice, Snippet } from './parts';

/** No notebook, or one without a kernel. */
export function NoKernel({ onNew }: { onNew: () => void }): React.JSX.Element {
  return (
    <Notice icon="plug" title="No kernel">
      <p>
        Open a notebook with a Python kernel: its DataFrames appear here, and “Find joins” with
        them.
      </p>
      <div className="lv-Actions">
        <Button accept onClick={onNew}>
          New notebook
        </Button>
      </div>
    </Notice>
  );
}

export function OtherLanguage({ kernel }: { kernel: string }): React.JSX.Element {
  return (
    <Notice icon="info" title="Not a Python kernel">
      <p>{kernel} has no DataFrames that lakeview reads.</p>
    </Notice>
  );
}

interface Installing {
  onInsert: (code: Code) => void;
  onCheck: () => void;
}

export function NotInstalled({
  kernel,
  onInsert,
  onCheck
}: Installing & { kernel: string }): React.JSX.Element {
  const install = code`%pip install lakeview`;
  return (
    <Notice icon="info" title="lakeview is not in this kernel">
      <p>
        <b>{kernel}</b> has no lakeview. Your notebook is not affected.
      </p>
      <Snippet code={install} />
      <p>It is found as soon as it is there; no restart.</p>
      <Install code={install} onInsert={onInsert} onCheck={onCheck} />
    </Notice>
  );
}

export function NoJava({ onInsert, onCheck }: Installing): React.JSX.Element {
  const install = code`%pip install "lakeview[java]"`;
  return (
    <Notice icon="warn" title="Indexing needs Java 17 or newer" alert>
      <p>
        None was found in <code>JAVA_HOME</code> or on the path. Searching and joins in pandas work
        without it.
      </p>
      <Snippet code={install} />
      <Install code={install} onInsert={onInsert} onCheck={onCheck} />
    </Notice>
  );
}

export function Broken({
  error,
  onCheck
}: {
  error: string;
  onCheck: () => void;
}): React.JSX.Element {
  return (
    <Notice icon="error" title="lakeview does not answer" alert>
      <p>{error}</p>
      <p>
        Restart the kernel; if it still does not answer, update lakeview there:{' '}
        <code>%pip install -U lakeview</code>
      </p>
      <div className="lv-Actions">
        <Button icon="refresh" onClick={onCheck}>
          Try again
        </Button>
      </div>
    </Notice>
  );
}

function Install({ code, onInsert, onCheck }: Installing & { code: Code }): React.JSX.Element {
  return (
    <div className="lv-Actions">
      <Button accept onClick={() => onInsert(code)}>
        Insert as a cell
      </Button>
      <Button icon="refresh" onClick={onCheck}>
        Check again
      </Button>
    </div>
  );
}
