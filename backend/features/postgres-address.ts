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
const knownOptions = ['host', 'port', 'user', 'sslmode', 'sslrootcert'];

/**
 * Reads `postgresql://user@host:port?sslmode=…`, as the programs of PostgreSQL take it, or the absolute path of a folder
 * with the server's socket. A password is refused: this text stands in the catalogue, in logs and in answers.
 */
export function readPostgresAddress(text: string): AddressLook {
  if (text.startsWith('/')) {
    return good({ host: text, port: usualPostgresPort, user: usualUser, sslmode: null, sslrootcert: null });
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refused(
      `must be the address of a PostgreSQL server, like ${example}, or the folder of its socket`,
    );
  }
  if (url.protocol !== 'postgresql:' && url.protocol !== 'postgres:') {
    return refused(`must begin with \`postgresql://\`, like ${example}`);
  }
  if (url.password !== '' || url.searchParams.has('password')) {
    return refused(
      'must not hold a password, since it is shown in lists and logs; put it into a password_file',
    );
  }
  const unknown = [...url.searchParams.keys()].find((name) => !knownOptions.includes(name));
  if (unknown !== undefined) {
    return refused(`has the option ${unknown}; use only ${knownOptions.join(', ')}`);
  }
  // A base backup is of the whole server.
  if (url.pathname !== '' && url.pathname !== '/') {
    return refused(
      'must not name a database: the whole server is backed up; leave out what follows the port',
    );
  }
  return fromParts(url);
}

function fromParts(url: URL): AddressLook {
  const option = (name: string) => url.searchParams.get(name) ?? '';
  const host = option('host') || decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const user = option('user') || decoded(url.username);
  if (host === null || user === null) return refused('has a % that is followed by no two hexadecimal digits');
  if (host.includes(',')) return refused('must name one host; a standby has a rule of its own');
  const portText = option('port') || url.port || String(usualPostgresPort);
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port < 1 || port > 65_535) {
    return refused(`has the port ${portText}; use a number from 1 to 65535`);
  }
  const sslmode = option('sslmode');
  if (sslmode !== '' && !sslModes.includes(sslmode)) {
    return refused(`has the sslmode ${sslmode}; use one of ${sslModes.join(', ')}`);
  }
  const sslrootcert = option('sslrootcert');
  if (sslrootcert !== '' && !sslrootcert.startsWith('/')) {
    return refused('has an sslrootcert that is no absolute path');
  }
  if (/\p{Cc}/u.test(`${host}${user}${sslrootcert}`)) return refused('must not contain control characters');
  return good({
    host: host === '' ? null : host,
    port,
    user: user === '' ? usualUser : user,
    sslmode: sslmode === '' ? null : sslmode,
    sslrootcert: sslrootcert === '' ? null : sslrootcert,
  });
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
