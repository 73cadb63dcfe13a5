import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Bytes, open, Time } from '../records.ts';
import { AbsolutePath } from '../words.ts';

/** `none`: no copy was made since the server was started. */
export const catalogueCopyStatuses = ['none', 'running', 'done', 'failed'] as const;

/** The last copy that the server made of its own catalogue since it was started. */
export const CatalogueCopy = z.object({
  status: open(catalogueCopyStatuses),
  path: z.string().nullable().meta({
    description: 'the file on the server; it is there under this name only when `status` is `done`',
  }),
  size: Bytes.nullable(),
  started: Time.nullable(),
  finished: Time.nullable(),
  error_message: z.string().nullable(),
});
export type CatalogueCopy = z.output<typeof CatalogueCopy>;

export const CatalogueCopyDraft = z.strictObject({
  folder: AbsolutePath.meta({ description: 'a folder on the server that is there', example: '/srv/copies' }),
});

export const catalogueCopyEndpoints = {
  'catalogueCopy.get': endpoint({
    method: 'GET',
    path: '/catalogue_copy',
    tag: 'Extensions',
    summary: 'How the last copy of the catalogue went',
    permission: 'global_configuration.write',
    result: CatalogueCopy,
    success: 200,
    refuses: [],
    extension: 'catalogue_copy',
  }),
  'catalogueCopy.create': endpoint({
    method: 'POST',
    path: '/catalogue_copy',
    tag: 'Extensions',
    summary: 'Copy the catalogue, as it is at one moment, into a folder of the server',
    permission: 'global_configuration.write',
    body: CatalogueCopyDraft,
    wrap: 'flat',
    result: CatalogueCopy,
    success: 201,
    refuses: [400],
    extension: 'catalogue_copy',
  }),
} as const;
