import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

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
