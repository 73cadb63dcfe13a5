/** The one door of the queue's machinery. */
export {
  createProgressMeter,
  type ProgressMeter,
  type ProgressReport,
  type ProgressView,
} from './progress-meter.ts';
export type { HeldTasks, QueuedTask, TaskPlace } from './queue-store.ts';
export {
  type Admission,
  type Admit,
  createRunner,
  cutOffMessage,
  type Runner,
  type RunnerDeps,
} from './runner.ts';
export {
  CommitRefused,
  type LogLevel,
  type LogSide,
  type RunningWork,
  type Work,
  type WorkContext,
  type WorkEnd,
  WorkStopped,
} from './work.ts';
