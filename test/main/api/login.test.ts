import { afterEach, describe, expect, it } from 'vitest';
import { describeServer, logIn } from '../../../main/api/login.ts';
import { createTransport } from '../../../main/api/transport.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { type BackupServer, goodPassword, startBackupServer } from '../support/fake-backup-server.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(describes: BackupServer['describesItself']) {
  const server = await startBackupServer();
  server.describesItself = describes;
  const transport = createTransport({ address: server.address, pin: null });
  open.push(transport, server);
  return { server, transport };
}

const database = { database: 'strongroom', userName: 'admin', authType: 'database', domain: '' } as const;
const domain = { ...database, authType: 'domain', domain: 'CORP' } as const;

async function failureOf(work: Promise<unknown>) {
  return problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

describe('a login', () => {
  it.each([
    ['five', 5 - 1],
    ['three', 3],
    ['no', 3],
  ] as const)(
    'to a server whose description says %s sends the fields it understands (case 136)',
    async (says, fields) => {
      const { server, transport } = await start(says);
      const { loginForm } = await describeServer(transport);
      expect(loginForm).toBe(says === 'no' ? 'unknown' : says);
      await logIn(transport, database, goodPassword, loginForm);
      expect(Object.keys(JSON.parse(server.requests.at(-1)?.body ?? '{}'))).toHaveLength(fields);
    },
  );

  it('never sends a domain to a server that may not know domains (case 136)', async () => {
    const { server, transport } = await start('three');
    for (const form of ['three', 'unknown'] as const)
      expect(await failureOf(logIn(transport, domain, goodPassword, form))).toMatchObject({
        code: 'noDomainAccounts',
      });
    expect(server.requests).toHaveLength(0);
    await logIn(transport, domain, goodPassword, 'five');
    expect(JSON.parse(server.requests.at(-1)?.body ?? '{}')).toMatchObject({
      auth_type: 'domain',
      domain: 'CORP',
    });
  });

  it('is tried once with a wrong password (case 127)', async () => {
    const { server, transport } = await start('five');
    expect(await failureOf(logIn(transport, database, 'wrong', 'five'))).toMatchObject({
      kind: 'refused',
      status: 401,
      message: 'Wrong user or password.',
    });
    expect(server.count('/auth/login')).toBe(1);
  });

  it('never sends an empty password, which would count against the account (case 29)', async () => {
    const { server, transport } = await start('five');
    expect(await failureOf(logIn(transport, database, '', 'five'))).toMatchObject({ kind: 'keychain' });
    expect(server.requests).toHaveLength(0);
  });
});
