import type { Work } from '../../jobs/index.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { createPlacementStore } from './placement-store.ts';

/**
 * Work that needs the client of its task. While the client is offline the task is killed or suspended, as
 * `kill_task_of_offline_client` says. This server reaches the client on its own host alone, so every other one is
 * offline: what lies on this host must never be taken for the data of another.
 */
export function onlyWithClient(
  deps: {
    readonly places: ReturnType<typeof createPlacementStore>;
    readonly configuration: Pick<ConfigurationService, 'read'>;
  },
  work: Work,
): Work {
  return async (context) => {
    const { task } = context;
    const client = task.client_id === null ? null : await deps.places.client(task.client_id);
    if (client === null || client.is_local === 1) return work(context);
    const { kill_task_of_offline_client: isKilled } = await deps.configuration.read();
    const message = `The client ${client.hostname} is offline.`;
    if (isKilled === 'yes') {
      return {
        kind: 'killed',
        message: `${message} The task was killed, as kill_task_of_offline_client says.`,
      };
    }
    return { kind: 'waiting', message };
  };
}
