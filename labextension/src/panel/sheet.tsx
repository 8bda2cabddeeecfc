import * as React from 'react';

import type { Job, Problem, Problems } from '../messages';
import { plural } from '../parts/numbers';
import type { Model, State } from './model';
import { Button, Icon } from './parts';
import { NoJava } from './states';
import type { Sheet } from './strip';
import { title } from './work';

interface Props {
  model: Model;
  state: State;
  sheet: Sheet;
  onShowFile?: (name: string) => void;
  onClose: () => void;
}

/** What lies over the panel's lists, above the strip: problems, why a job failed, what to do without Java. */
export function OpenSheet(props: Props): React.JSX.Element | null {
  const { model, state, sheet, onShowFile, onClose } = props;
  const failed = state.status?.jobs.find(job => job.state === 'failed');
  switch (sheet) {
    case 'problems':
      return (
        <Frame title={plural(state.problems.total, 'problem')} onClose={onClose}>
          <ProblemList problems={state.problems} onShowFile={onShowFile} />
        </Frame>
      );
    case 'failure':
      return failed ? (
        <Frame title={`${title(failed)} failed`} onClose={onClose}>
          <Failure job={failed} />
        </Frame>
      ) : null;
    case 'java':
      return (
        <Frame title="No Java" onClose={onClose}>
          <NoJava
            onInsert={cell => void model.insert(cell)}
            onCheck={() => void model.lookForJava()}
          />
        </Frame>
      );
    default:
      return null;
  }
}

interface FrameProps {
  title: string;
  onClose: () => void;
  children: React.ReactNode;
}

function Frame({ title, onClose, children }: FrameProps): React.JSX.Element {
  return (
    <section className="lv-Sheet" aria-label={title}>
      <div className="lv-Sheet-head">
        <h3>{title}</h3>
        <Button icon="x" label="Close" onClick={onClose} />
      </div>
      <div className="lv-Sheet-body" tabIndex={0} role="group" aria-label={title}>
        {children}
      </div>
    </section>
  );
}

function Failure({ job }: { job: Job }): React.JSX.Element {
  return (
    <p className="lv-Error" role="alert">
      <Icon name="error" />
      <span>{job.message || 'It did not say why.'}</span>
    </p>
  );
}

/** What could not be read as it stands, the worst first. */
function ProblemList({
  problems,
  onShowFile
}: {
  problems: Problems;
  onShowFile?: (name: string) => void;
}): React.JSX.Element {
  if (!problems.total) {
    return <p className="lv-None">Every file was read as it stands.</p>;
  }
  const more = problems.total - problems.problems.length;
  return (
    <>
      {problems.problems.map((problem, i) => (
        <Row key={i} problem={problem} onShowFile={onShowFile} />
      ))}
      {more > 0 && <p className="lv-None">{plural(more, 'more problem')}: lake.problems</p>}
    </>
  );
}

const GRAVITY = { error: 'error', warning: 'warn', note: 'info' };

interface RowProps {
  problem: Problem;
  onShowFile?: (name: string) => void;
}

function Row({ problem, onShowFile }: RowProps): React.JSX.Element {
  return (
    <div className="lv-Problem">
      <Icon name={GRAVITY[problem.gravity]} label={problem.gravity} />
      <b>{problem.table}</b>
      {onShowFile && <Button onClick={() => onShowFile(problem.table)}>Show file</Button>}
      <p>{problem.says}</p>
    </div>
  );
}
