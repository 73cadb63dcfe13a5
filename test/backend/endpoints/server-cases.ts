import { expect } from 'vitest';
import { addUser } from '../../support/backend.ts';
import { nobody, type Stage } from './stage.ts';

/** Login and tokens. */
export async function authCases({ probe, app, password }: Stage): Promise<void> {
  const body = { backup_database: 'strongroom', backup_user: 'superuser', password };
  await probe.see(200, 'POST /auth/login', { body, send: app.send });
  const second = await probe.see(200, 'POST /auth/login', {
    body: { data: { ...body, auth_type: 'database' } },
    send: app.send,
  });
  const tokens = second.data<{ access_token: string; refresh_token: string }>();
  expect(second.cookies.map(({ name }) => name).sort()).toEqual([
    'access_token_cookie',
    'refresh_token_cookie',
  ]);

  await probe.see(401, 'POST /auth/refresh', { send: app.send });
  await probe.see(401, 'POST /auth/refresh', {
    send: app.send,
    headers: { authorization: `Bearer ${tokens.refresh_token}` },
  });
  const renewed = await probe.see(200, 'POST /auth/refresh', {
    send: app.send,
    headers: {
      authorization: `Bearer ${tokens.refresh_token}`,
      'authorization-access-token': `Bearer ${tokens.access_token}`,
    },
  });
  const authorization = `Bearer ${renewed.data<{ access_token: string }>().access_token}`;
  await probe.see(200, 'GET /auth/permissions', { send: app.send, headers: { authorization } });
  await probe.see(200, 'DELETE /auth/logout', { send: app.send, headers: { authorization } });
  await probe.see(401, 'DELETE /auth/logout', { send: app.send, headers: { authorization } });
}

/** The connection to a domain controller; none is asked anything here. */
export async function directoryCases({ probe }: Stage): Promise<void> {
  const path = '/auth/ldap/configuration';
  const connection = {
    domain_type: 'MS_AD',
    protocol: 'ldap',
    address: 'dc1.example.org',
    port: 389,
    domain: 'EXAMPLE',
    login: 'CN=strongroom,CN=Users,DC=example,DC=org',
    password: 'never shown again',
    user_search_base: 'CN=Users,DC=example,DC=org',
    group_search_base: 'CN=Groups,DC=example,DC=org',
  };
  await probe.see(201, `POST ${path}`, { body: connection });
  const answer = await probe.see(200, `GET ${path}`);
  const { password, ...shown } = connection;
  expect(answer.data()).toMatchObject(shown);
  expect(JSON.stringify(answer.body)).not.toContain(password);
  await probe.see(204, `DELETE ${path}`);
}

export async function configurationCases({ probe }: Stage): Promise<void> {
  const path = '/global_configuration';
  await probe.see(200, `GET ${path}`);
  const changed = await probe.see(200, `PATCH ${path}`, { body: { done_tasks_remove_period: 31 } });
  expect(changed.data()).toMatchObject({ done_tasks_remove_period: 31, service_mode: false });
  await probe.see(200, `PATCH ${path}`, { body: { data: { done_tasks_remove_period: 30 } } });
  const wrong = await probe.see(400, `PATCH ${path}`, { body: { monitoring_period: 1 } });
  expect(Object.keys(wrong.body.errors)).toEqual(['monitoring_period']);
  await probe.see(200, `PATCH ${path}/service_mode`, { body: { service_mode: true } });
  await probe.see(200, `PATCH ${path}/service_mode`, { body: { service_mode: false } });
  const missing = await probe.see(400, `PATCH ${path}/service_mode`, { body: {} });
  expect(Object.keys(missing.body.errors)).toEqual(['service_mode']);
}

export async function auditorCases({ probe, app }: Stage): Promise<void> {
  const path = '/auditors';
  const ids: number[] = [];
  for (const userName of ['first.auditor', 'second.auditor']) {
    await addUser(app.built, { userName, roles: ['maintainer'] });
    ids.push(await probe.create(`POST ${path}`, { data: { auditor: userName } }));
  }
  const [first, second] = ids;
  expect((await probe.see(200, `GET ${path}`)).headers['x-total-count']).toBe('2');
  const one = await probe.see(200, `GET ${path}/{id}`, { id: first });
  expect(one.data()).toMatchObject({ id: first, auditor: 'first.auditor', assigned_by: 'superuser' });
  const removed = await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  expect(removed.data()).toEqual({ ids: [first] });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: nobody });
}
