import { describe, expect, it } from 'vitest';
import {
  isOfThisHost,
  type PostgresAddress,
  readPostgresAddress,
  serverName,
} from '../../../backend/features/postgres-address.ts';
import { adviceFor } from '../../../backend/features/tasks/postgres-rules.ts';

const usual: PostgresAddress = { host: null, port: 5432, user: 'postgres', sslmode: null, sslrootcert: null };

describe('the address of a PostgreSQL server', () => {
  it.each<[string, Partial<PostgresAddress>]>([
    ['postgresql://', {}],
    ['postgres:///', {}],
    ['postgresql://db.example.com', { host: 'db.example.com' }],
    ['postgresql://backup@db:6000/', { host: 'db', port: 6000, user: 'backup' }],
    ['postgresql://a%40b@[fe80::1]:1', { host: 'fe80::1', port: 1, user: 'a@b' }],
    ['postgresql://me@/?host=/run/pg&port=5433', { host: '/run/pg', port: 5433, user: 'me' }],
    ['postgresql://%2Frun%2Fpg?user=me', { host: '/run/pg', user: 'me' }],
    [
      'postgresql://db?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      { host: 'db', sslmode: 'verify-full', sslrootcert: '/etc/ca.pem' },
    ],
    ['/var/run/postgresql', { host: '/var/run/postgresql' }],
  ])('%s', (text, parts) => {
    expect(readPostgresAddress(text)).toEqual({ kind: 'good', address: { ...usual, ...parts } });
  });

  it.each([
    ['postgresql://me:canary@db', 'password_file'],
    ['postgresql://me@db?password=canary', 'password_file'],
    ['postgresql://db/orders', 'whole server'],
    ['postgresql://db:0', 'from 1 to 65535'],
    ['postgresql://db:http', 'from 1 to 65535'],
    ['postgresql://one,two', 'one host'],
    ['postgresql://db?options=-c%20x', 'the option options'],
    ['postgresql://db?sslmode=maybe', 'verify-full'],
    ['postgresql://db?sslrootcert=ca.pem', 'absolute path'],
    ['postgresql://d%zzb', 'hexadecimal'],
    ['postgresql://d%00b', 'control characters'],
    ['postgresql://me@you@db', 'must be the address'],
    ['db.example.com', 'must be the address'],
  ])('refuses %s', (text, reason) => {
    const look = readPostgresAddress(text);
    expect(look.kind === 'refused' ? look.reason : '').toContain(reason);
    expect(JSON.stringify(look)).not.toContain('canary');
  });

  it('tells this host from others, and names the folder of its copies', () => {
    const named = (host: string | null) => [isOfThisHost({ ...usual, host }), serverName({ ...usual, host })];
    expect(named(null)).toEqual([true, 'postgresql-local-5432']);
    expect(named('/run/pg')).toEqual([true, 'postgresql-local-5432']);
    expect(named('127.0.0.1')).toEqual([true, 'postgresql-127.0.0.1-5432']);
    expect(named('fe80::1')).toEqual([false, 'postgresql-fe80__1-5432']);
    expect(named('../db')).toEqual([false, 'postgresql-.._db-5432']);
  });
});

describe('what pg_basebackup says', () => {
  it('keeps its words on one line, with the remedy after them', () => {
    const told =
      'pg_basebackup ended with 1: pg_basebackup: error: connection to server failed: timeout expired\n';
    expect(adviceFor(told)).toBe(
      `${told.trim()}. The server cannot be reached. Start it, or correct host, port or the folder of its socket in the address.`,
    );
    expect(adviceFor('something new')).toBeNull();
  });
});
