import type { Task } from '../../../contract/tasks/task.ts';
import type { ProgressView } from '../../jobs/index.ts';

/**
 * Figures of running work, kept in memory: they change several times a second, and none of them is worth a write
 * to the disk. Answers and events show them over what is stored.
 */
export interface LiveProgress {
  set(taskId: number, view: () => ProgressView): void;
  clear(taskId: number): void;
  over(task: Task): Task;
}

export function createLiveProgress(): LiveProgress {
  const views = new Map<number, () => ProgressView>();
  return {
    set: (taskId, view) => {
      views.set(taskId, view);
    },
    clear: (taskId) => {
      views.delete(taskId);
    },
    over: (task) => {
      const view = views.get(task.id)?.();
      // Its end is written a moment before its figures are let go.
      if (view === undefined || task.finished !== null) return task;
      return {
        ...task,
        progress: view.percent,
        transferred: view.transferredBytes,
        speed: view.bytesPerSecond,
        progress_details: {
          bytes_done: view.bytesDone,
          bytes_total: view.bytesTotal,
          files_done: view.filesDone,
          files_total: view.filesTotal,
          current_path: view.currentPath,
          remaining_seconds: view.remainingSeconds,
        },
      };
    },
  };
}
