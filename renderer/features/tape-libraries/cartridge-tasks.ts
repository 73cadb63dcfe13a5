import { isOver } from '../../../contract/tasks/task-states.ts';
import { call, on } from '../../bridge.ts';
import { shell } from '../../shell/shell-store.ts';

const pollMs = 5000;

/**
 * Calls back once, when the task has ended or is there no more; the screen that began it need not stay open. Whoever may
 * not see tasks is not called: their lists are as new as these are by themselves.
 */
export function whenTaskEnds(connectionId: string, taskId: number, ended: () => void): void {
  const stateNow = () => shell.getState().connections.find((one) => one.id === connectionId)?.state;
  if (stateNow()?.permissions.includes('task_queue.read') !== true) return;
  let isBusy = false;
  let isWanted = false;
  const stop = (): void => {
    off();
    clearInterval(timer);
  };
  const look = (): void => {
    if (stateNow()?.phase !== 'connected') return;
    if (isBusy) {
      isWanted = true;
      return;
    }
    isBusy = true;
    void hasEnded(connectionId, taskId)
      // The connection itself tells that it is away; it is asked again at the next sign of life.
      .catch(() => false)
      .then((isOver) => {
        isBusy = false;
        if (isOver) {
          stop();
          ended();
        } else if (isWanted) {
          isWanted = false;
          look();
        }
      });
  };
  const off = on('server.event', ({ connectionId: from, kind, event }) => {
    if (from !== connectionId) return;
    if (kind === 'reset' || (kind === 'task' && event?.id === taskId)) look();
  });
  const timer = setInterval(() => {
    const state = stateNow();
    if (state === undefined) stop();
    else if (!state.live) look();
  }, pollMs);
  look();
}

async function hasEnded(connectionId: string, taskId: number): Promise<boolean> {
  const query = { page: 1, limit: 1, id: String(taskId) };
  const [task] = (await call(connectionId, 'taskQueue.list', { query })).items;
  return task === undefined || isOver(task.status);
}
