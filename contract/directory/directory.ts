import { z } from 'zod';
import { Role, roles } from '../permissions.ts';
import { Id, open } from '../records.ts';

export const domainTypes = ['MS_AD'] as const;
export const directoryProtocols = ['ldap', 'ldaps'] as const;
export const usualPorts = { ldap: 389, ldaps: 636 } as const;

const required = (what: string, mostCharacters = 1024) =>
  z
    .string('must be a text')
    .min(1, 'must not be empty')
    .max(mostCharacters, `must have ${mostCharacters} characters at most`)
    .meta({ description: what });

const portRule = 'must be a whole number from 1 to 65535';

const fields = {
  domain_type: z.enum(domainTypes, `must be ${domainTypes.map((type) => `\`${type}\``).join(' or ')}`),
  protocol: z.enum(directoryProtocols, 'must be `ldap` or `ldaps`').meta({
    description:
      '`ldaps` is encrypted from the start; `ldap` is encrypted (StartTLS) when a root_cert is given',
  }),
  address: required('host name or IP address of the domain controller', 253).regex(
    /^[^\s/?#@\\]+$/,
    'must be a host name or an IP address, without a scheme or a path',
  ),
  port: z.int(portRule).min(1, portRule).max(65_535, portRule).meta({ description: '389 or 636 usually' }),
  domain: required('DNS name or short name of the domain', 255),
  login: required('account that looks users up: DN, `user@domain` or `DOMAIN\\user`'),
  user_search_base: required('DN below which users are looked for'),
  group_search_base: required('DN below which groups are looked for'),
};

/** The connection as it is answered: secrets are written only. */
export const DirectoryConnection = z.object({
  domain_type: open(domainTypes),
  protocol: open(directoryProtocols),
  address: z.string(),
  port: z.int(),
  client_cert: z.string().nullable().meta({ description: 'PEM, without its key' }),
  root_cert: z.string().nullable().meta({ description: 'PEM' }),
  domain: z.string(),
  login: z.string(),
  user_search_base: z.string(),
  group_search_base: z.string(),
});
export type DirectoryConnection = z.output<typeof DirectoryConnection>;

const Pem = z.string('must be a text').max(262_144, 'is too long for a certificate');

export const DirectoryConnectionDraft = z.strictObject({
  ...fields,
  password: required('of the account that looks users up').meta({ format: 'password' }),
  client_cert: Pem.nullish().meta({
    description: 'PEM with a certificate and its key, for controllers that ask for one',
  }),
  root_cert: Pem.nullish().meta({
    description:
      'PEM of the authority that signed the certificate of the controller; only this one is trusted then',
  }),
});
export type DirectoryConnectionDraft = z.output<typeof DirectoryConnectionDraft>;

/** Members of a directory group, also through other groups, have the role. */
export const DirectoryMapping = z.object({
  id: Id,
  group: z.string(),
  role: open(roles),
  sid: z.string().nullable().meta({ description: 'null until the group has been found in the directory' }),
});
export type DirectoryMapping = z.output<typeof DirectoryMapping>;

export const DirectoryMappingDraft = z.strictObject({
  group: required('name or DN of a group of the directory').meta({ examples: ['Backup Admins'] }),
  role: Role.meta({ description: `one of ${roles.join(', ')}` }),
});
export type DirectoryMappingDraft = z.output<typeof DirectoryMappingDraft>;
