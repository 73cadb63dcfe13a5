import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ListQuery } from '../paging.ts';
import { CreatedId, IdParams, IdsBody, RemovedIds } from '../records.ts';
import { VirtualLibrary, VirtualLibraryChange, VirtualLibraryDraft } from './virtual-library.ts';

const extension = 'virtual_libraries';
const tag = 'Extensions';

export const virtualLibraryEndpoints = {
  'virtualLibraries.list': endpoint({
    method: 'GET',
    path: '/virtual_libraries',
    tag,
    summary: 'List simulated tape libraries',
    permission: 'tape_libraries.read',
    query: ListQuery,
    result: z.array(VirtualLibrary),
    success: 200,
    refuses: [400],
    list: true,
    extension,
  }),
  'virtualLibraries.get': endpoint({
    method: 'GET',
    path: '/virtual_libraries/:id',
    tag,
    summary: 'One simulated tape library',
    permission: 'tape_libraries.read',
    params: IdParams,
    result: VirtualLibrary,
    success: 200,
    refuses: [404],
    extension,
  }),
  'virtualLibraries.create': endpoint({
    method: 'POST',
    path: '/virtual_libraries',
    tag,
    summary: 'Make a simulated tape library; the candidates then list its robot and drives',
    permission: 'tape_libraries.write',
    body: VirtualLibraryDraft,
    wrap: 'data',
    result: CreatedId,
    success: 201,
    refuses: [400],
    extension,
  }),
  'virtualLibraries.update': endpoint({
    method: 'PATCH',
    path: '/virtual_libraries/:id',
    tag,
    summary: 'Put cartridges into a simulated library, take some out, or let it do something wrong',
    permission: 'tape_libraries.write',
    params: IdParams,
    body: VirtualLibraryChange,
    wrap: 'data',
    result: VirtualLibrary,
    success: 200,
    refuses: [400, 404],
    extension,
  }),
  'virtualLibraries.deleteMany': endpoint({
    method: 'DELETE',
    path: '/virtual_libraries',
    tag,
    summary: 'Remove simulated tape libraries with all their cartridges',
    permission: 'tape_libraries.delete',
    body: IdsBody,
    wrap: 'flat',
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
    extension,
  }),
  'virtualLibraries.delete': endpoint({
    method: 'DELETE',
    path: '/virtual_libraries/:id',
    tag,
    summary: 'Remove a simulated tape library with all its cartridges',
    permission: 'tape_libraries.delete',
    params: IdParams,
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
    extension,
  }),
} as const;
