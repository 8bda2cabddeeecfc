import type { Job } from '../messages';

/** What a job is, in a few words. */
export function title(job: Job): string {
  return capital(job.title);
}

/** What it does and how far it is: "24 of 64 files". */
export function steps(job: Job): string {
  return capital(job.message) || 'Starting';
}

function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** "about 40 s left", where that can be told. */
export function left(job: Job): string {
  return job.left === null ? '' : `${about(job.left)} left`;
}

/** "about 8 s", "about 2 min": no more of a guess than it is worth. */
export function about(seconds: number): string {
  if (seconds < 1.5) {
    return 'about a second';
  }
  return `about ${rounded(seconds)}`;
}

/** 8 s, 40 s, 2 min: two figures at most. */
function rounded(seconds: number): string {
  if (seconds < 10) {
    return `${Math.round(seconds)} s`;
  }
  if (seconds < 90) {
    return `${5 * Math.round(seconds / 5)} s`;
  }
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
