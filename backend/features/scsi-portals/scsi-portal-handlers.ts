import type { HandlersOf } from '../../http/handler.ts';
import type { ScsiPortalService } from './scsi-portal-service.ts';

type Names =
  | 'scsiPortals.list'
  | 'scsiPortals.get'
  | 'scsiPortals.create'
  | 'scsiPortals.deleteMany'
  | 'scsiPortals.delete';

export function createScsiPortalHandlers(portals: ScsiPortalService): HandlersOf<Names> {
  return {
    'scsiPortals.list': ({ list }) => portals.list(list),
    'scsiPortals.get': ({ params }) => portals.get(params.id),
    'scsiPortals.create': ({ body }) => portals.create(body),
    'scsiPortals.deleteMany': ({ body }) => portals.remove(body.ids),
    'scsiPortals.delete': ({ params }) => portals.remove([params.id]),
  };
}
