import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ListQuery } from '../paging.ts';
import { IdParams, IdsBody, RemovedIds } from '../records.ts';
import { MediaServer, MediaServerPatch } from './media-server.ts';

export const mediaServerEndpoints = {
  'mediaServers.list': endpoint({
    method: 'GET',
    path: '/media_servers',
    tag: 'Media servers',
    summary: 'List media servers',
    permission: 'media_servers.read',
    query: ListQuery,
    result: z.array(MediaServer),
    success: 200,
    refuses: [400],
    list: true,
  }),
  'mediaServers.get': endpoint({
    method: 'GET',
    path: '/media_servers/:id',
    tag: 'Media servers',
    summary: 'One media server',
    permission: 'media_servers.read',
    params: IdParams,
    result: MediaServer,
    success: 200,
    refuses: [404],
  }),
  'mediaServers.update': endpoint({
    method: 'PATCH',
    path: '/media_servers/:id',
    tag: 'Media servers',
    summary: 'Change a media server',
    permission: 'media_servers.write',
    params: IdParams,
    body: MediaServerPatch,
    wrap: 'flat',
    result: MediaServer,
    success: 200,
    refuses: [400, 404],
  }),
  'mediaServers.deleteMany': endpoint({
    method: 'DELETE',
    path: '/media_servers',
    tag: 'Media servers',
    summary: 'Delete media servers',
    permission: 'media_servers.delete',
    body: IdsBody,
    wrap: 'flat',
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
  }),
} as const;
