import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ListQuery } from '../paging.ts';
import { CreatedId, IdParams, IdsBody, RemovedIds } from '../records.ts';
import { ScsiPortal, ScsiPortalDraft } from './scsi-portal.ts';

const extension = 'scsi_portals';
const tag = 'Extensions';

export const scsiPortalEndpoints = {
  'scsiPortals.list': endpoint({
    method: 'GET',
    path: '/scsi_portals',
    tag,
    summary: 'List iSCSI portals of tape libraries',
    permission: 'tape_libraries.read',
    query: ListQuery,
    result: z.array(ScsiPortal),
    success: 200,
    refuses: [400],
    list: true,
    extension,
  }),
  'scsiPortals.get': endpoint({
    method: 'GET',
    path: '/scsi_portals/:id',
    tag,
    summary: 'One iSCSI portal',
    permission: 'tape_libraries.read',
    params: IdParams,
    result: ScsiPortal,
    success: 200,
    refuses: [404],
    extension,
  }),
  'scsiPortals.create': endpoint({
    method: 'POST',
    path: '/scsi_portals',
    tag,
    summary: 'Add an iSCSI portal; the candidates then list its robots and drives',
    permission: 'tape_libraries.write',
    body: ScsiPortalDraft,
    wrap: 'data',
    result: CreatedId,
    success: 201,
    refuses: [400],
    extension,
  }),
  'scsiPortals.deleteMany': endpoint({
    method: 'DELETE',
    path: '/scsi_portals',
    tag,
    summary: 'Remove iSCSI portals',
    permission: 'tape_libraries.delete',
    body: IdsBody,
    wrap: 'flat',
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
    extension,
  }),
  'scsiPortals.delete': endpoint({
    method: 'DELETE',
    path: '/scsi_portals/:id',
    tag,
    summary: 'Remove an iSCSI portal',
    permission: 'tape_libraries.delete',
    params: IdParams,
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
    extension,
  }),
} as const;
