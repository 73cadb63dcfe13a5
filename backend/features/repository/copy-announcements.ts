import type { EventAction } from '../../../contract/events/events.ts';
import type { Announce } from '../announce.ts';

export interface CopyAnnouncements {
  copy(
    action: EventAction,
    copy: {
      readonly id: number;
      readonly pool_id: number | null;
      readonly client_group_id: number | null;
    },
  ): void;
  task(task: { readonly id: number; readonly clientGroupId: number | null }): void;
}

/** Tells of changes to copies, and of what shows them: the number of copies of a pool, the task that made them. */
export function createCopyAnnouncements(announce: Announce): CopyAnnouncements {
  return {
    copy: (action, copy) => {
      announce({ kind: 'repository', action, id: copy.id, clientGroupId: copy.client_group_id });
      if (action !== 'changed' && copy.pool_id !== null) {
        announce({ kind: 'pool', action: 'changed', id: copy.pool_id });
      }
    },
    task: ({ id, clientGroupId }) => announce({ kind: 'task', action: 'changed', id, clientGroupId }),
  };
}
