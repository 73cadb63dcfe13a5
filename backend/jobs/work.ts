import type { Tx } from '../db/index.ts';
import type { ProgressReport } from './progress-meter.ts';
import type { QueuedTask } from './queue-store.ts';

export type LogSide = 'client' | 'server';
export type LogLevel = 'info' | 'warning' | 'error';

/** What is going on right now and can be acted upon. */
export interface RunningWork {
  pause(): void;
  resume(): void;
  stop(): void;
}

/** How the work ended. Exactly one of these; everything that is shown follows from it. */
export type WorkEnd =
  | {
      readonly kind: 'done';
      readonly skippedItems: number | null;
      readonly transferredBytes: number;
      /** Written in the transaction that ends the task; answers further columns of the task. */
      readonly commit?: (tx: Tx) => Promise<{ readonly copyId?: number }>;
      /** After a commit that did not happen: it failed, or the task was killed meanwhile. */
      readonly undo?: () => Promise<void>;
      readonly after?: () => Promise<void>;
    }
  | { readonly kind: 'error'; readonly message: string }
  /** Stopped by the server as a person would. */
  | { readonly kind: 'killed'; readonly message: string }
  /** Something is missing that may come back: no space, storage not there. Tried again later. */
  | { readonly kind: 'waiting'; readonly message: string };

export interface WorkContext {
  readonly task: QueuedTask;
  /** Waits while the task is paused; throws `WorkStopped` when it is no longer ours. */
  moveTo(status: string): Promise<void>;
  log(side: LogSide, level: LogLevel, message: string): void;
  /** Makes pause, continue, kill and stop reach the running work; call again for the next piece of work. */
  attach(work: RunningWork): void;
  progress(report: ProgressReport): void;
  /** The work was stopped since the server stops; the task begins again after its next start. */
  isStopping(): boolean;
  /** Keeps a fact about the work with the task, so that it can be cleaned up after a crash. */
  remember(input: object): Promise<void>;
}

export type Work = (context: WorkContext) => Promise<WorkEnd>;

/** Thrown by `commit` when the work must not be kept after all: it is undone, the task ends in error with the message. */
export class CommitRefused extends Error {
  override readonly name = 'CommitRefused';
}

/** The task was killed, or the server is stopping: nothing more is to be written. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped';
}
