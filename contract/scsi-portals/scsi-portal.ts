import { z } from 'zod';
import { Id, Time } from '../records.ts';
import { ObjectName, utf8Length } from '../words.ts';

const portMessage = 'must be a whole number from 1 to 65535';
const portalPort = z.int(portMessage).min(1, portMessage).max(65_535, portMessage);
export const usualScsiPortalPort = 3260;

/** Where a media server logs in to tape libraries by iSCSI. */
export const ScsiPortal = z.object({
  id: Id,
  media_server: z.string(),
  address: z.string().meta({ description: 'name or IP address' }),
  port: portalPort,
  user: z.string().nullable().meta({ description: 'user of CHAP; null = the portal asks for none' }),
  initiator_name: z
    .string()
    .meta({ description: 'name of the media server as an initiator, which the target may have to allow' }),
  created: Time,
});
export type ScsiPortal = z.output<typeof ScsiPortal>;

/** CHAP carries both in text of 255 bytes at most. */
const chapText = (what: string) =>
  z
    .string(`must be the ${what} as text`)
    .min(1, `must not be empty; leave ${what} out where the portal asks for none`)
    .refine((text) => utf8Length(text) <= 255, 'must have 255 bytes at most');

export const ScsiPortalDraft = z.strictObject({
  media_server: ObjectName.meta({ description: 'name of a media server' }),
  address: z
    .string('must be a name or an IP address')
    .min(1, 'must be a name or an IP address')
    .max(253, 'must have 253 characters at most')
    .meta({ description: 'name or IP address, IPv6 without brackets', examples: ['192.0.2.10'] }),
  port: portalPort.nullish().meta({ description: `${usualScsiPortalPort} unless told` }),
  user: chapText('user')
    .nullish()
    .meta({ description: 'user of CHAP, with `password`; neither where the portal asks for none' }),
  password: chapText('password')
    .nullish()
    .meta({ format: 'password', description: 'written only, never answered' }),
});
export type ScsiPortalDraft = z.output<typeof ScsiPortalDraft>;
