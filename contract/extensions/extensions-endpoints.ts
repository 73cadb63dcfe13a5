import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/**
 * What this server's lists know beyond the common API, by the names under which `GET /extensions` tells of it.
 * `task_statuses`: tasks of several statuses at once, `status=error,broken`.
 */
export const listExtensions = ['task_statuses'] as const;

export const extensionsEndpoints = {
  'extensions.list': endpoint({
    method: 'GET',
    path: '/extensions',
    tag: 'Extensions',
    summary: 'Names of the extensions that this server has',
    permission: null,
    result: z.object({ names: z.array(z.string()) }),
    success: 200,
    refuses: [401],
    extension: 'extensions',
  }),
} as const;
