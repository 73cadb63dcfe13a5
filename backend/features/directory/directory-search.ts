import { AndFilter, type Client, type Entry, EqualityFilter, type Filter, OrFilter } from 'ldapts';
import { DirectoryError } from './directory-errors.ts';
import type { DirectorySettings } from './directory-session.ts';
import { sidText } from './sid.ts';

/** A user as the directory has it. */
export interface DirectoryUser {
  readonly dn: string;
  readonly sid: string;
  /** The short name that it logs in with. */
  readonly userName: string;
  readonly isDisabled: boolean;
  /** Null: the account never expires. */
  readonly expiresMs: number | null;
}

export interface DirectoryGroup {
  readonly dn: string;
  readonly sid: string;
}

const accountDisabled = 2;
const userAttributes = ['sAMAccountName', 'objectSid', 'userAccountControl', 'accountExpires'];
/** Controllers stop after a thousand entries of one answer unless asked for pages. */
const paged = { pageSize: 200 };
// Every text of a caller goes into a filter object, which escapes it; a filter is never made of text.
const is = (attribute: string, value: string): Filter => new EqualityFilter({ attribute, value });

/** Throws `unknownUser`, or `ambiguousUser` when the name is that of several. */
export async function findUser(
  client: Client,
  settings: DirectorySettings,
  name: string,
): Promise<DirectoryUser> {
  const filter = new AndFilter({
    filters: [
      is('objectCategory', 'person'),
      is('objectClass', 'user'),
      name.includes('@')
        ? is('userPrincipalName', name)
        : is('sAMAccountName', name.slice(name.lastIndexOf('\\') + 1)),
    ],
  });
  const { searchEntries } = await client.search(settings.userSearchBase, {
    scope: 'sub',
    filter,
    attributes: userAttributes,
    explicitBufferAttributes: ['objectSid'],
    paged,
  });
  const [entry, another] = searchEntries;
  if (entry === undefined)
    throw new DirectoryError('unknownUser', 'there is no such user below the search base');
  if (another !== undefined) {
    throw new DirectoryError('ambiguousUser', 'several users have this name below the search base');
  }
  return userOf(entry);
}

/** The user of a SID as it is now, wherever it was moved to below the search base. */
export async function findUserBySid(
  client: Client,
  settings: DirectorySettings,
  sid: string,
): Promise<DirectoryUser> {
  const { searchEntries } = await client.search(settings.userSearchBase, {
    scope: 'sub',
    filter: is('objectSid', sid),
    attributes: userAttributes,
    explicitBufferAttributes: ['objectSid'],
    paged,
  });
  const [entry] = searchEntries;
  if (entry === undefined) throw new DirectoryError('unknownUser', 'the user is not there any more');
  return userOf(entry);
}

/** SIDs of all groups that the user is in: through other groups and as primary group, too. */
export async function groupSidsOf(client: Client, dn: string): Promise<ReadonlySet<string>> {
  const { searchEntries } = await client.search(dn, {
    scope: 'base',
    attributes: ['tokenGroups'],
    explicitBufferAttributes: ['tokenGroups'],
  });
  const found = searchEntries[0]?.tokenGroups ?? [];
  const list = Array.isArray(found) ? found : [found];
  return new Set(list.flatMap((sid) => (sid instanceof Uint8Array ? (sidText(sid) ?? []) : [])));
}

/** By its DN, or by a name below the search base; null when there is none, or several. */
export async function findGroup(
  client: Client,
  settings: DirectorySettings,
  name: string,
): Promise<DirectoryGroup | null> {
  const isDn = /^[a-z][a-z0-9-]*=.+,/i.test(name);
  const names = [is('sAMAccountName', name), is('cn', name), is('distinguishedName', name)];
  const { searchEntries } = await client.search(settings.groupSearchBase, {
    scope: 'sub',
    filter: new AndFilter({
      filters: [
        is('objectClass', 'group'),
        isDn ? is('distinguishedName', name) : new OrFilter({ filters: names }),
      ],
    }),
    attributes: ['objectSid'],
    explicitBufferAttributes: ['objectSid'],
    paged,
  });
  const [entry, another] = searchEntries;
  if (entry === undefined || another !== undefined) return null;
  return { dn: entry.dn, sid: sidOf(entry) };
}

/** How many users are below their search base; the count ends at the first page. Throws when there is none. */
export function countUsers(client: Client, settings: DirectorySettings): Promise<number> {
  const filters = [is('objectCategory', 'person'), is('objectClass', 'user')];
  return countBelow(client, {
    base: settings.userSearchBase,
    filter: new AndFilter({ filters }),
    what: 'user',
  });
}

/** The same of groups. */
export function countGroups(client: Client, settings: DirectorySettings): Promise<number> {
  return countBelow(client, {
    base: settings.groupSearchBase,
    filter: is('objectClass', 'group'),
    what: 'group',
  });
}

async function countBelow(
  client: Client,
  search: { readonly base: string; readonly filter: Filter; readonly what: string },
): Promise<number> {
  const { base, filter, what } = search;
  const pages = client.searchPaginated(base, { scope: 'sub', filter, attributes: ['1.1'], paged });
  for await (const { searchEntries } of pages) {
    if (searchEntries.length > 0) return searchEntries.length;
  }
  throw new DirectoryError('refused', `there is no ${what} below ${base}`);
}

/** Whether `domain` is a name of the domain behind the connection: its DNS name or its short one. */
export async function isDomainName(client: Client, domain: string): Promise<boolean> {
  const root = await client.search('', {
    scope: 'base',
    attributes: ['configurationNamingContext', 'defaultNamingContext'],
  });
  const [entry] = root.searchEntries;
  const configuration = entry?.configurationNamingContext;
  const own = entry?.defaultNamingContext;
  if (typeof configuration !== 'string' || typeof own !== 'string') return false;
  const { searchEntries } = await client.search(`CN=Partitions,${configuration}`, {
    scope: 'sub',
    filter: new AndFilter({
      filters: [
        is('objectClass', 'crossRef'),
        is('nCName', own),
        new OrFilter({ filters: [is('nETBIOSName', domain), is('dnsRoot', domain)] }),
      ],
    }),
    attributes: ['nCName'],
  });
  return searchEntries.length > 0;
}

function userOf(entry: Entry): DirectoryUser {
  const name = entry.sAMAccountName;
  if (typeof name !== 'string') throw new DirectoryError('refused', 'the user has no sAMAccountName');
  return {
    dn: entry.dn,
    sid: sidOf(entry),
    userName: name,
    isDisabled: (Number(entry.userAccountControl) & accountDisabled) !== 0,
    expiresMs: expiryOf(entry.accountExpires),
  };
}

/** Directories count in steps of 100 ns since 1601; 0 and the largest number mean never. */
function expiryOf(value: Entry[string] | undefined): number | null {
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return null;
  const steps = BigInt(value);
  if (steps === 0n || steps === 0x7fff_ffff_ffff_ffffn) return null;
  return Number(steps / 10_000n) - 11_644_473_600_000;
}

function sidOf(entry: Entry): string {
  const bytes = entry.objectSid;
  const sid = bytes instanceof Uint8Array ? sidText(bytes) : null;
  if (sid === null) throw new DirectoryError('refused', `${entry.dn} has no objectSid`);
  return sid;
}
