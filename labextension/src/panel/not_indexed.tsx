import * as React from 'react';

import type { Cost, Lake } from '../messages';
import { count, plural } from '../parts/numbers';
import type { Model } from './model';
import { Button } from './parts';
import { about } from './work';

/** A lake that has no index yet: what indexing will take, before somebody begins it. */
export function NotIndexed({ model, lake }: { model: Model; lake: Lake }): React.JSX.Element {
  const [cost, setCost] = React.useState<Cost | null>(null);
  React.useEffect(() => {
    void model.ask('cost', {}).then(setCost, () => setCost(null));
  }, [lake]);
  const seconds = cost && cost.files ? ` · ${about(cost.seconds)}` : '';
  return (
    <div className="lv-Cost">
      <b>Index this lake to search it</b>
      {cost && cost.files > 0 ? (
        <dl>
          <dt>To read</dt>
          <dd>
            {plural(cost.files, 'file')}, {bytes(cost.bytes)}
          </dd>
          {cost.spark === null ? (
            <>
              <dt>Where</dt>
              <dd>in this kernel, without Spark</dd>
            </>
          ) : (
            <>
              <dt>{cost.spark ? 'Spark starts' : 'Spark'}</dt>
              <dd>{cost.spark ? about(cost.spark) : 'runs already'}</dd>
            </>
          )}
          <dt>One scan</dt>
          <dd>{about(cost.seconds - (cost.spark ?? 0))}</dd>
        </dl>
      ) : (
        <p>
          {cost
            ? 'No file here can be read as a table.'
            : 'Its tables are read once; later only what changed.'}
        </p>
      )}
      <Button accept onClick={() => void model.index()}>
        Index it{seconds}
      </Button>
    </div>
  );
}

/** "52 MB" */
export function bytes(number: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = number < 1000 ? 0 : Math.min(Math.floor(Math.log10(number) / 3), 4);
  const scaled = number / 1000 ** power;
  return `${scaled < 10 && power ? scaled.toFixed(1) : count(Math.round(scaled))} ${units[power]}`;
}
