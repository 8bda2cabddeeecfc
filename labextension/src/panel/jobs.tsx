import * as React from 'react';

import type { Job, Problem, Problems } from '../messages';
import { count, plural } from '../parts/numbers';
import { Button, Icon } from './parts';

const ENDED = { done: 'check', cancelled: 'stop', failed: 'error', running: 'dot' };

/** What runs, with a cancel, and what ran. */
export function Jobs({
  jobs,
  onCancel
}: {
  jobs: Job[];
  onCancel: (job: number) => void;
}): React.JSX.Element {
  if (!jobs.length) {
    return <p className="lv-None">Nothing runs.</p>;
  }
  return (
    <>
      {jobs.map(job =>
        job.state === 'running' ? (
          <Running key={job.id} job={job} onCancel={() => onCancel(job.id)} />
        ) : (
          <Ended key={job.id} job={job} />
        )
      )}
    </>
  );
}

function Running({ job, onCancel }: { job: Job; onCancel: () => void }): React.JSX.Element {
  const share = job.total ? job.done / job.total : 0;
  const steps = job.total ? `${count(job.done)} of ${count(job.total)} tasks` : 'starting';
  const left = share > 0.05 ? `about ${duration((job.seconds * (1 - share)) / share)} left` : '';
  return (
    <div
      className="lv-Job"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onCancel();
        }
      }}
    >
      <div className="lv-Job-line">
        <b>{job.title}</b>
        <Button icon="stop" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <div
        className="lv-Progress"
        role="progressbar"
        aria-label={job.title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={job.total ? Math.round(100 * share) : undefined}
        aria-valuetext={[steps, left].filter(Boolean).join(', ')}
      >
        <span style={{ width: `${100 * share}%` }} />
      </div>
      <div className="lv-Job-note">
        <span>{job.total ? `${steps} · ${Math.round(100 * share)} %` : job.message || steps}</span>
        <span>{job.message === 'stopping' ? 'stopping …' : left || duration(job.seconds)}</span>
      </div>
    </div>
  );
}

function Ended({ job }: { job: Job }): React.JSX.Element {
  const said = job.state === 'done' ? job.message : job.message || job.state;
  return (
    <div className="lv-Job" data-state={job.state}>
      <div className="lv-Job-line">
        <Icon name={ENDED[job.state]} label={job.state} />
        <span className="lv-Row-name">{job.title}</span>
        <span className="lv-Row-note">{duration(job.seconds)}</span>
      </div>
      <p>{said}</p>
    </div>
  );
}

/** What could not be read as it stands. */
export function ProblemList({ problems }: { problems: Problems }): React.JSX.Element {
  if (!problems.total) {
    return <p className="lv-None">Every file was read as it stands.</p>;
  }
  const more = problems.total - problems.problems.length;
  return (
    <>
      {problems.problems.map((problem, i) => (
        <Row key={i} problem={problem} />
      ))}
      {more > 0 && <p className="lv-None">{plural(more, 'more problem')}: lake.problems</p>}
    </>
  );
}

function Row({ problem }: { problem: Problem }): React.JSX.Element {
  const times = problem.count > 1 ? ` (${count(problem.count)} times)` : '';
  return (
    <div className="lv-Problem">
      <Icon name={problem.problem === 'not read' ? 'error' : 'warn'} label={problem.problem} />
      <b>{problem.table}</b>
      <p>
        {problem.problem}
        {problem.detail && `: ${problem.detail}`}
        {times}
      </p>
    </div>
  );
}

function duration(seconds: number): string {
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
