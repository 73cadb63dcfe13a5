import type { Task } from '../../contract/tasks/task.ts';
import { t, textsOf, wordFor } from '../texts/index.ts';
import type { Meaning } from '../ui/index.ts';
import { formatDuration, showHidden } from '../ui/index.ts';

const words = textsOf('status');

/** What a server names otherwise is shown as it is, with what could deceive the eye made visible. */
export function taskTypeWord(type: string): string {
  return showHidden(wordFor(words.taskTypes, type));
}

/** `at_client` → `At_Client`, as the field writes it; other languages have words of their own. */
export function statusWord(status: string): string {
  return Object.hasOwn(words.tasks, status) ? wordFor(words.tasks, status) : showHidden(capitals(status));
}

function capitals(status: string): string {
  return status
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('_');
}

const meanings: Readonly<Record<string, Meaning>> = {
  new: 'idle',
  assigned: 'idle',
  at_client: 'running',
  execution: 'running',
  transmission: 'running',
  at_server: 'running',
  done: 'ok',
  obsoleted: 'idle',
  error: 'error',
  killed: 'idle',
  broken: 'error',
  suspended: 'idle',
  restarting: 'running',
};

/** One meaning for list, details and notices alike: a finished task that skipped something is a warning. */
export function taskMeaning(task: Pick<Task, 'status' | 'skipped_items'>): Meaning {
  if (task.status === 'done' && (task.skipped_items ?? 0) > 0) return 'warning';
  return meanings[task.status] ?? 'idle';
}

export function taskStatusText(task: Pick<Task, 'status' | 'skipped_items' | 'suspend_reason'>): string {
  const status = statusWord(task.status);
  const skipped = task.skipped_items ?? 0;
  if (task.status === 'done' && skipped > 0) return t('status.taskSkipped', { status, skipped });
  if (task.status === 'suspended' && task.suspend_reason === 'resource')
    return t('status.taskWaits', { status });
  return status;
}

/** Null: it cannot be told. */
export function taskPercent(task: Pick<Task, 'status' | 'progress' | 'progress_details'>): number | null {
  if (task.status === 'done' || task.status === 'obsoleted') return 100;
  const details = task.progress_details;
  const isMoving = ['execution', 'transmission'].includes(task.status);
  if (isMoving && details !== null && details !== undefined && details.bytes_total === null) return null;
  return Math.min(99, task.progress);
}

export function remainingText(task: Pick<Task, 'status' | 'progress_details'>): string | null {
  if (!['execution', 'transmission'].includes(task.status)) return null;
  const seconds = task.progress_details?.remaining_seconds ?? null;
  return seconds === null ? t('status.estimating') : formatDuration(seconds);
}
