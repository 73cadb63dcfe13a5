import type { HandlersOf } from '../../http/handler.ts';
import type { MediaServerService } from './media-server-service.ts';

type Names = 'mediaServers.list' | 'mediaServers.get' | 'mediaServers.update' | 'mediaServers.deleteMany';

export function createMediaServerHandlers(servers: MediaServerService): HandlersOf<Names> {
  return {
    'mediaServers.list': ({ list }) => servers.list(list),
    'mediaServers.get': ({ params }) => servers.get(params.id),
    'mediaServers.update': ({ params, body }) => servers.update(params.id, body),
    'mediaServers.deleteMany': ({ body }) => servers.remove(body.ids),
  };
}
