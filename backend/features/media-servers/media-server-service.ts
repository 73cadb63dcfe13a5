import type { MediaServer, MediaServerPatch } from '../../../contract/media-servers/media-server.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound } from '../../platform/errors.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { whyMediaServerStays } from './media-server-rules.ts';
import { createMediaServerStore } from './media-server-store.ts';

export interface MediaServerService {
  list(list: ListRequest): Promise<Page<MediaServer>>;
  get(id: number): Promise<MediaServer>;
  update(id: number, patch: MediaServerPatch): Promise<MediaServer>;
  /** All or nothing. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

export function createMediaServerService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
}): MediaServerService {
  const store = createMediaServerStore(deps.db, deps.clock.now);
  const get = async (id: number): Promise<MediaServer> => {
    const server = await store.get(id);
    if (!server) throw notFound('Media server', id);
    return server;
  };
  return {
    list: (list) => store.list(list, deps.dialect),
    get,
    update: async (id, patch) => {
      await get(id);
      if (patch.description !== undefined) await store.describe(id, patch.description);
      return get(id);
    },
    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createMediaServerStore(tx, deps.clock.now);
        const uses = await inside.uses(ids);
        requireAllFound(
          'Media server',
          ids,
          uses.map(({ id }) => id),
        );
        const primaries = uses.filter(({ role }) => role === 'primary');
        refuseIfAny(primaries.map(whyMediaServerStays), 'object.protected');
        refuseIfAny(uses.map(whyMediaServerStays), 'object.inUse');
        await inside.remove(ids);
      });
      return { ids: [...ids] };
    },
  };
}
