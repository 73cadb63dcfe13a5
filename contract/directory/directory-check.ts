import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { open } from '../records.ts';
import { DirectoryConnectionDraft } from './directory.ts';

/** What is tried, in this order; after one that the rest needs has failed, the rest is not tried. */
export const directorySteps = ['connect', 'sign_in', 'domain', 'users', 'groups'] as const;
export const directoryOutcomes = ['ok', 'failed', 'not_tried'] as const;

export const DirectoryCheck = z.object({
  works: z.boolean().meta({ description: 'every step is ok' }),
  steps: z.array(
    z.object({
      step: open(directorySteps).meta({
        description:
          'connect (with encryption, if it is asked for), sign_in of the account, domain (whether it is a name of the domain there), users and groups below their search bases',
      }),
      outcome: open(directoryOutcomes),
      reason: z.string().nullable().meta({ description: 'why it failed' }),
      found: z
        .int()
        .nullable()
        .meta({ description: 'how many users or groups were found; the count ends at 200' }),
    }),
  ),
});
export type DirectoryCheck = z.output<typeof DirectoryCheck>;

export const directoryCheckEndpoints = {
  /** Nothing is saved and nobody is let in: it only answers whether the settings would work. */
  'directory.check': endpoint({
    method: 'POST',
    path: '/auth/ldap/check',
    tag: 'Extensions',
    summary: 'Try the settings of a connection without saving them, within ten seconds',
    permission: 'ldap.write',
    body: DirectoryConnectionDraft,
    wrap: 'data',
    result: DirectoryCheck,
    success: 200,
    refuses: [400],
    extension: 'ldap_check',
  }),
} as const;
