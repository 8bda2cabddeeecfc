import type { Job } from '../messages';
import { count } from '../parts/numbers';

/** What a job is, in a few words. */
export function title(job: Job): string {
  return job.title;
}

/** How far it is: "118 of 204 tasks"; before that is known, what it does first. */
export function steps(job: Job): string {
  if (job.total && job.done) {
    return `${count(job.done)} of ${count(job.total)} tasks`;
  }
  return job.message ? job.message[0].toUpperCase() + job.message.slice(1) : 'Starting';
}

/** "about 40 s left", where that can be told. */
export function left(job: Job): string {
  const share = job.total ? job.done / job.total : 0;
  return share > 0.05 && share < 1
    ? `about ${duration((job.seconds * (1 - share)) / share)} left`
    : '';
}

export function duration(seconds: number): string {
  if (seconds < 60) {
    return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  }
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
