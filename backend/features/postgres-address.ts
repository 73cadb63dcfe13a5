/** Where a PostgreSQL server listens and as whom it is asked, as the resource of a backup names it. */
export interface PostgresAddress {
  /** A name or number of a host, or the folder of its socket; null: the usual socket of this host. */
  readonly host: string | null;
  readonly port: number;
  readonly user: string;
  readonly sslmode: string | null;
  readonly sslrootcert: string | null;
}

export type AddressLook =
  | { readonly kind: 'good'; readonly address: PostgresAddress }
  /** Completes "the resource …". */
  | { readonly kind: 'refused'; readonly reason: string };

export const usualPostgresPort = 5432;
const usualUser = 'postgres';
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const example = '`postgresql://backup@db.example.com:5432`';
/** User, password, host, port, database, options. */
const addressForm =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?(\[[^\]]*\]|[^:/?#@]*)(?::([^/?#]*))?(\/[^?#]*)?(?:\?([^#]*))?$/;
const knownOptions = ['host', 'port', 'user', 'sslmode', 'sslrootcert'];

/**
 * Reads `postgresql://user@host:port?sslmode=…`, as the programs of PostgreSQL take it, or the absolute path of a folder
 * with the server's socket. A password is refused: this text stands in the catalogue, in logs and in answers.
 */
export function readPostgresAddress(text: string): AddressLook {
  if (text.startsWith('/')) {
    return good({ host: text, port: usualPostgresPort, user: usualUser, sslmode: null, sslrootcert: null });
  }
  const match = addressForm.exec(text);
  if (match === null) {
    return refused(
      `must be the address of a PostgreSQL server, like ${example}, or the folder of its socket`,
    );
  }
  const [, user, password, host, port, path = '', query = ''] = match.map((part) => decoded(part ?? ''));
  const options = optionsIn(match[6] ?? '');
  if ([user, password, host, port, path, query, options].includes(null) || options === null) {
    return refused('has a % that is followed by no two hexadecimal digits');
  }
  if (password !== '' || options.has('password')) {
    return refused(
      'must not hold a password, since it is shown in lists and logs; give it as password of the module, or in a password_file',
    );
  }
  const unknown = [...options.keys()].find((name) => !knownOptions.includes(name));
  if (unknown !== undefined) {
    return refused(`has the option ${unknown}; use only ${knownOptions.join(', ')}`);
  }
  // A base backup is of the whole server.
  if (path !== '' && path !== '/') {
    return refused(
      'must not name a database: the whole server is backed up; leave out what follows the port',
    );
  }
  return checked({
    host: options.get('host') || (host ?? '').replace(/^\[(.*)\]$/, '$1'),
    port: options.get('port') || port || String(usualPostgresPort),
    user: options.get('user') || user || usualUser,
    sslmode: options.get('sslmode') ?? '',
    sslrootcert: options.get('sslrootcert') ?? '',
  });
}

function checked(given: {
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly sslmode: string;
  readonly sslrootcert: string;
}): AddressLook {
  const { host, user, sslmode, sslrootcert } = given;
  const port = Number(given.port);
  if (host.includes(',')) return refused('must name one host; a standby has a rule of its own');
  if (!/^\d{1,5}$/.test(given.port) || port < 1 || port > 65_535) {
    return refused(`has the port ${given.port}; use a number from 1 to 65535`);
  }
  if (sslmode !== '' && !sslModes.includes(sslmode)) {
    return refused(`has the sslmode ${sslmode}; use one of ${sslModes.join(', ')}`);
  }
  if (sslrootcert !== '' && !sslrootcert.startsWith('/')) {
    return refused('has an sslrootcert that is no absolute path');
  }
  if (/\p{Cc}/u.test(`${host}${user}${sslrootcert}`)) return refused('must not contain control characters');
  return good({
    host: host === '' ? null : host,
    port,
    user,
    sslmode: sslmode === '' ? null : sslmode,
    sslrootcert: sslrootcert === '' ? null : sslrootcert,
  });
}

/** Null when a name or value cannot be decoded. */
function optionsIn(query: string): ReadonlyMap<string, string> | null {
  const options = new Map<string, string>();
  for (const part of query.split('&').filter((one) => one !== '')) {
    const [name, value] = [part.replace(/=.*$/s, ''), part.replace(/^[^=]*=?/, '')].map(decoded);
    if (name == null || value == null) return null;
    options.set(name, value);
  }
  return options;
}

/** It is reached by a socket or the loopback, so the server runs on this host. */
export function isOfThisHost({ host }: PostgresAddress): boolean {
  return isSocket(host) || host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host ?? '');
}

/** A socket tells the server which user of the system asks. */
export function isSocket(host: string | null): boolean {
  return host === null || host.startsWith('/');
}

/** What the copy's folder is called: host and port, without what cannot be in a file's name. */
export function serverName({ host, port }: PostgresAddress): string {
  const place = isSocket(host) ? 'local' : (host ?? '');
  return `postgresql-${place.replace(/[^A-Za-z0-9.-]/g, '_')}-${port}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function good(address: PostgresAddress): AddressLook {
  return { kind: 'good', address };
}

function refused(reason: string): AddressLook {
  return { kind: 'refused', reason };
}
