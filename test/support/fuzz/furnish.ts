import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../backend.ts';

/** Some of every kind of object, so that requests find what they name. `folder`: where storages and devices may lie. */
export async function furnish(superuser: Session, folder: string): Promise<void> {
  const make = async (path: string, data: object): Promise<number> => {
    const answer = await superuser.send('POST', path, { data });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.message}`);
    return answer.data<{ id: number }>().id;
  };
  const [client] = (await superuser.send('GET', '/clients')).data<{ client_name: string }[]>();
  const clientName = client?.client_name ?? '';
  const group = await make('/client_groups', { name: 'Group', shared: true });
  await make('/users', { user_name: 'maria', password: 'long enough', roles: ['maintainer', 'auditor'] });
  for (const name of ['Fuzz', 'Spare', 'Free']) await make('/pools', filePool(name));
  const meta = { meta_data_pool: 'Default' };
  await make('/pools', { ...filePool('Blocks'), pool_type: 'Block device', ...meta });
  await make('/pools', { ...filePool('Tapes'), pool_type: 'Tape library' });
  for (const name of ['one', 'two', 'three']) {
    await mkdir(join(folder, `storage-${name}`));
    await make('/storage_local_catalogs', { path: join(folder, `storage-${name}`), pool: 'Fuzz' });
  }
  await writeFile(join(folder, 'disk.img'), Buffer.alloc(2 ** 21));
  await make('/storage_block_devices', {
    device: join(folder, 'disk.img'),
    pool: 'Blocks',
    overwrite_file_system: false,
  });
  for (const name of ['Nightly', 'Weekly']) {
    await make('/strategies', { name, pool: 'Fuzz', full_schedule: '0 3 * * *' });
  }
  for (const resource of ['/srv', '/home', '/var']) {
    const rule = { client_id: clientName, strategy_id: 'Nightly', resource_type: 'File system', resource };
    await make('/strategy_rules', { strategy_rule: rule });
  }
  for (const [from, to] of [
    ['22:00:00', '06:00:00'],
    ['08:00:00', '12:00:00'],
  ]) {
    const window = { window_start: from, window_end: to };
    await make('/client_bandwidth', { client: clientName, backup_bandwidth: 100, ...window });
  }
  const dynamic = await make('/dynamic_pool_groups', { name: 'Together' });
  for (const pool of ['Fuzz', 'Spare']) {
    await make('/dynamic_pool_groups_records', { dynamic_pool_group: dynamic, pool });
  }
  await make('/auth/ldap/mappings', { group: 'Admins', role: 'administrator' });
  for (const resource of ['/srv', '/home', '/opt']) {
    const task = {
      resource_type: 'File system',
      resource,
      client: clientName,
      backup_type: 'full',
      pool: 'Default',
      crypto: 'nocrypt',
      priority: 100 * group,
      storage_duration: '1 year',
      archiving: false,
    };
    await make('/task_queue', { task });
  }
}

const filePool = (pool_name: string) => ({
  pool_name,
  pool_type: 'File system',
  media_server: hostname(),
});
