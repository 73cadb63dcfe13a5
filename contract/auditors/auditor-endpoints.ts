import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ListQuery } from '../paging.ts';
import { CreatedId, IdParams, IdsBody, RemovedIds } from '../records.ts';
import { Auditor, AuditorDraft } from './auditor.ts';

export const auditorEndpoints = {
  'auditors.list': endpoint({
    method: 'GET',
    path: '/auditors',
    tag: 'Auditors',
    summary: 'List auditors',
    permission: 'auditors.read',
    query: ListQuery,
    result: z.array(Auditor),
    success: 200,
    refuses: [400],
    list: true,
  }),
  'auditors.create': endpoint({
    method: 'POST',
    path: '/auditors',
    tag: 'Auditors',
    summary: 'Give the auditor role to a user',
    permission: 'auditors.write',
    body: AuditorDraft,
    wrap: 'data',
    result: CreatedId,
    success: 201,
    refuses: [400],
  }),
  'auditors.deleteMany': endpoint({
    method: 'DELETE',
    path: '/auditors',
    tag: 'Auditors',
    summary: 'Take the auditor role from users',
    permission: 'auditors.delete',
    body: IdsBody,
    wrap: 'flat',
    result: RemovedIds,
    success: 200,
    refuses: [400, 404],
  }),
  'auditors.get': endpoint({
    method: 'GET',
    path: '/auditors/:id',
    tag: 'Auditors',
    summary: 'One auditor',
    permission: 'auditors.read',
    params: IdParams,
    result: Auditor,
    success: 200,
    refuses: [404],
  }),
  'auditors.delete': endpoint({
    method: 'DELETE',
    path: '/auditors/:id',
    tag: 'Auditors',
    summary: 'Take the auditor role from a user',
    permission: 'auditors.delete',
    params: IdParams,
    result: RemovedIds,
    success: 200,
    refuses: [404],
  }),
} as const;
