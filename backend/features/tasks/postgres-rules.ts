/** What pg_basebackup says, by what can be done about it. The first that fits holds. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /password file .* has group or world access/,
    'The password file can be read by others and is therefore not used. Take that right away (chmod 600).',
  ],
  [
    /no password supplied/,
    'The server asks for a password and none is known. Give the password, or name a password_file with a line for this host, port, the database `replication` (or `*`) and this user.',
  ],
  [
    /password authentication failed/,
    'The server does not take this password. Give the right one, or correct the line for this host, port, the database `replication` (or `*`) and this user in the password_file.',
  ],
  [
    /Peer authentication failed|Ident authentication failed/,
    'The server lets in the user of the system that has the same name only. Name that user in the address, or let the server ask for a password (pg_hba.conf) and name a password_file.',
  ],
  [
    /no pg_hba\.conf entry for replication/,
    'The server lets nobody replicate from here. Add a line for the database `replication`, this user and this host to its pg_hba.conf and reload it.',
  ],
  [
    /must be superuser or replication role|permission denied to start WAL sender|must have.* REPLICATION/i,
    'The user may not replicate. Give it that right on the server: ALTER ROLE <user> WITH REPLICATION.',
  ],
  [
    /role .* does not exist/,
    'The server does not know the user. Name another one in the address, or create it.',
  ],
  [
    /can only write single tablespace to stdout/,
    'The server has tablespaces outside of its data directory, which cannot be streamed. Move their tables into pg_default, or stop the server and back up its folders as a File system.',
  ],
  [
    /exceeds max_wal_senders|remaining connection slots|too many clients/,
    'The server has no connection left for a backup. Raise max_wal_senders (or max_connections), or try again later.',
  ],
  [
    /wal_level|WAL level not sufficient/,
    'The server writes too little into its log. Set wal_level to replica and restart it.',
  ],
  [
    /requested WAL segment .* has already been removed|could not find any WAL files/,
    'The server removed a part of its log before the backup had read it. Raise wal_keep_size and try again.',
  ],
  [
    /incompatible server version|server version .* aborting/i,
    'The server is newer than the programs on this client. Install the postgresql-client of its version.',
  ],
  [
    /certificate verify failed|root certificate file|does not match host name/,
    'The certificate of the server is not trusted. Name the right sslrootcert and host in the address.',
  ],
  [
    /server does not support SSL/,
    'The server does not encrypt. Set up SSL on it, or use another sslmode in the address.',
  ],
  [/could not translate host name/, 'There is no host of this name. Correct the address.'],
  [
    /Connection refused|No such file or directory|timeout expired|No route to host|Network is unreachable/,
    'The server cannot be reached. Start it, or correct host, port or the folder of its socket in the address.',
  ],
  [
    /the database system is (starting up|shutting down|in recovery mode)/,
    'The server is not ready. Try again in a while.',
  ],
  [
    /terminating connection|server closed the connection|connection .* lost|could not receive data|unexpected EOF/i,
    'The server ended the connection. Look into its log, then restart the task.',
  ],
];

const mostTold = 500;

/** The program's own words with the remedy after them; null when nothing is known about them. */
export function adviceFor(told: string): string | null {
  const found = advice.find(([pattern]) => pattern.test(told));
  if (found === undefined) return null;
  const words = told
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
    .slice(0, mostTold);
  const end = /[.?!]$/.test(words) ? '' : '.';
  return `${words}${end} ${found[1]}`;
}
