import * as React from 'react';

import type { Job, Spark } from '../messages';
import { buttonLook } from '../parts/looks';
import { plural } from '../parts/numbers';
import type { Model, State } from './model';
import { Button, Icon } from './parts';
import { day } from './places';
import { left, steps, title } from './work';

/** What lies over the panel's lists, above the strip. */
export type Sheet = 'problems' | 'failure' | 'java' | null;

interface Props {
  model: Model;
  state: State;
  sheet: Sheet;
  setSheet: (sheet: Sheet) => void;
}

const CANCELLED = ['Cancelled', 'nothing was changed'];
const SHOWN = 8; // seconds that the end of a job stays

/** One line of 30 pixels that is always there: how the lake is, or what runs. */
export function Strip(props: Props): React.JSX.Element {
  const { model, state } = props;
  const job = state.status?.jobs.find(each => each.state === 'running') ?? null;
  const over = useEnded(state.status?.jobs ?? []);
  const spoken = job ? title(job) : over ? ended(over) : '';
  return (
    <div className="lv-Strip" data-state={job ? 'running' : over?.state}>
      {job ? (
        <Running job={job} onCancel={() => void model.cancel(job.id)} />
      ) : over ? (
        <Ended job={over} {...props} />
      ) : (
        <Rest {...props} />
      )}
      <span role="status" className="lv-Sr">
        {spoken}
      </span>
    </div>
  );
}

function Running({ job, onCancel }: { job: Job; onCancel: () => void }): React.JSX.Element {
  const share = job.total ? Math.min(job.done / job.total, 1) : 0;
  const time = left(job);
  return (
    <>
      <div
        className="lv-Strip-bar"
        role="progressbar"
        aria-label={title(job)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={job.total ? Math.round(100 * share) : undefined}
        aria-valuetext={[steps(job), job.how, time].filter(Boolean).join(', ')}
      >
        <i
          className={share ? undefined : 'lv-mod-unknown'}
          style={{ inlineSize: share ? `${100 * share}%` : '100%' }}
        />
      </div>
      <b title={title(job)}>{job.message === 'stopping' ? 'Stopping …' : steps(job)}</b>
      <span className="lv-muted">{time || job.how}</span>
      <span className="lv-Spring" />
      <Button icon="stop" label="Cancel" onClick={onCancel}>
        <span>Cancel</span>
      </Button>
    </>
  );
}

/** What a button has that opens a sheet, and closes it again. */
const opens = ({ sheet, setSheet }: Props, name: Sheet) => ({
  'aria-expanded': sheet === name,
  onClick: () => setSheet(sheet === name ? null : name)
});

function Ended({ job, ...props }: Props & { job: Job }): React.JSX.Element {
  const [what, how] =
    job.state === 'cancelled' ? CANCELLED : [ended(job), job.state === 'done' && job.how];
  const icon = { done: 'check', cancelled: 'stop', failed: 'error', running: 'dot' }[job.state];
  return (
    <>
      <Icon name={icon} label={job.state} />
      <b title={`${title(job)}: ${job.message}`}>{what}</b>
      <span className="lv-muted">{how}</span>
      <span className="lv-Spring" />
      {job.state === 'done' && <ProblemsButton {...props} />}
      {job.state === 'failed' && (
        <button type="button" className={buttonLook()} {...opens(props, 'failure')}>
          Why?
        </button>
      )}
    </>
  );
}

/** What opens the list of problems, where there are any. */
function ProblemsButton(props: Props): React.JSX.Element | null {
  const { total } = props.state.problems;
  return total === 0 ? null : (
    <button type="button" className="lv-Strip-problems" {...opens(props, 'problems')}>
      <Icon name="warn" />
      {plural(total, 'problem')}
      <Icon name={props.sheet === 'problems' ? 'down' : 'up'} />
    </button>
  );
}

function Rest(props: Props): React.JSX.Element {
  const { lake, status, phase } = props.state;
  if (phase !== 'ready' || !status) {
    return (
      <>
        <Icon name="ring" />
        <span>{phase === 'no-kernel' ? 'Waiting for a kernel' : 'Not connected'}</span>
      </>
    );
  }
  const noJava = status.spark.java === false;
  const opened = lake?.indexed_at ? plural(lake.tables.length, 'table') : null;
  return (
    <>
      <span className={opened ? 'lv-Strip-tables' : undefined}>
        {lake ? (opened ?? `${lake.name} is not indexed`) : 'No lake open'}
      </span>
      <ProblemsButton {...props} />
      {lake?.indexed_at && !noJava && (
        <span className="lv-Strip-when" title={`indexed at ${lake.indexed_at}`}>
          <span>indexed </span>
          {day(lake.indexed_at)}
        </span>
      )}
      <span className="lv-Spring" />
      {noJava && (
        <button type="button" className={`${buttonLook()} lv-Strip-java`} {...opens(props, 'java')}>
          <Icon name="warn" />
          No Java
        </button>
      )}
      <SparkMark spark={status.spark} />
    </>
  );
}

/** How Spark is, as a mark with its words. */
function SparkMark({ spark }: { spark: Spark }): React.JSX.Element {
  const [icon, words] = sparkWords(spark);
  return (
    <span className="lv-Strip-spark" title={words}>
      <Icon name={icon} label={words} />
    </span>
  );
}

export function sparkWords({ state, detail, own, java }: Spark): [string, string] {
  switch (state) {
    case 'running':
      return [
        'dot',
        ['Spark running', detail, own ? '' : 'your session'].filter(Boolean).join(' · ')
      ];
    case 'starting':
      return ['half', 'Spark is starting'];
    case 'lost':
      return ['warn', 'Spark stopped · starts when needed'];
    case 'asleep':
      return java === false
        ? ['warn', 'Spark unavailable · no Java']
        : ['ring', 'Spark asleep · starts when needed'];
  }
}

/** The job that ended last, for a while; a failure until another begins or somebody has read why. */
function useEnded(jobs: Job[]): Job | null {
  const [, look] = React.useState(0);
  const last = jobs.find(job => job.state !== 'running') ?? null;
  // As told last: every kernel counts its jobs from one.
  const seen = React.useRef<{ job: Job | null; at: number }>({ job: null, at: 0 });
  if (last && seen.current.job !== last) {
    seen.current = { job: last, at: performance.now() / 1000 - (last.ago ?? 0) };
  }
  const age = last ? performance.now() / 1000 - seen.current.at : Infinity;
  const shown = last !== null && (last.state === 'failed' || age < SHOWN);
  React.useEffect(() => {
    if (shown && last?.state !== 'failed') {
      const timer = setTimeout(() => look(n => n + 1), 1000 * (SHOWN - age) + 50);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [last, shown]);
  return shown ? last : null;
}

function ended(job: Job): string {
  switch (job.state) {
    case 'done':
      return job.message || `${title(job)} done`;
    case 'cancelled':
      return `${title(job)} cancelled`;
    default:
      return `${title(job)} failed`;
  }
}
