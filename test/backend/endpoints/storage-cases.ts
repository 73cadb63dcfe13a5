import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeSparseFile } from '../../support/loop-device.ts';
import { rowsOf } from '../features/rows.ts';
import { nobody, type Stage } from './stage.ts';

const filePool = ({ mediaServer }: Stage, name: string) => ({
  pool_name: name,
  pool_type: 'File system',
  media_server: mediaServer,
});

export async function poolCases(stage: Stage): Promise<void> {
  const { probe } = stage;
  const first = await probe.create('POST /pools', filePool(stage, 'Archive'));
  const second = await probe.create('POST /pools', { data: filePool(stage, 'Shelf') });
  const pools = (await probe.see(200, 'GET /pools')).data<{ id: number; pool_name: string }[]>();
  const preset = pools.find(({ pool_name: name }) => name === 'Default')?.id;
  expect((await probe.see(200, 'GET /pools/{pool_id}', { id: first })).data()).toMatchObject({
    pool_name: 'Archive',
    compression_type: 'None',
  });
  await probe.see(404, 'GET /pools/{pool_id}', { id: nobody });
  const path = 'PATCH /pools/{pool_id}';
  await probe.see(200, path, { id: first, body: { description: 'old', retention_period: '1 days' } });
  const wrong = await probe.see(400, path, { id: first, body: { retention_period: 'for ever' } });
  expect(Object.keys(wrong.body.errors)).toEqual(['retention_period']);
  await probe.see(404, path, { id: nobody, body: { description: 'old' } });

  const asked = { pool_name: 'Default', action: 'copy' };
  const places = await probe.see(200, 'GET /pools/destination_available', { query: asked });
  expect(places.data<{ id: number }[]>().map(({ id }) => id)).toEqual(
    expect.arrayContaining([first, second]),
  );
  await probe.see(404, 'DELETE /pools', { body: { ids: [first, nobody] } });
  const partly = await probe.see(207, 'DELETE /pools', { body: { ids: [first, preset] } });
  expect(partly.data()).toEqual({
    removed: [first],
    failed: [{ id: preset, reason: expect.stringMatching(/./) }],
  });
  await probe.see(204, 'DELETE /pools', { body: { ids: [second] } });
}

export async function localStorageCases({ probe, folder }: Stage): Promise<void> {
  const path = '/storage_local_catalogs';
  const at = async (name: string) => {
    await mkdir(join(folder, name));
    return join(folder, name);
  };
  const first = await probe.create(`POST ${path}`, { data: { path: await at('one'), pool: 'Default' } });
  const second = await probe.create(`POST ${path}`, { path: await at('two'), description: 'spare' });
  await probe.see(200, `GET ${path}`);
  expect((await probe.see(200, `GET ${path}/{id}`, { id: second })).data()).toMatchObject({
    pool: 'Default',
    description: 'spare',
    status: 'Online',
  });
  await probe.see(404, `GET ${path}/{id}`, { id: nobody });
  const body = { data: { description: 'left shelf' } };
  await probe.see(200, `PATCH ${path}/{id}`, { id: first, body });
  await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: { data: { path: '/srv/other' } } });
  await probe.see(404, `PATCH ${path}/{id}`, { id: nobody, body });
  await probe.see(404, `DELETE ${path}`, { body: { ids: [first, nobody] } });
  await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}

export async function blockDeviceCases({ probe, queue, folder, mediaServer }: Stage): Promise<void> {
  const path = '/storage_block_devices';
  await queue.good('POST', '/pools', {
    pool_name: 'Blocks',
    pool_type: 'Block device',
    media_server: mediaServer,
    meta_data_pool: 'Default',
  });
  const draft = async (name: string) => {
    const device = join(folder, name);
    await makeSparseFile(device, 8 * 1024 * 1024);
    return { device, pool: 'Blocks', overwrite_file_system: false };
  };
  const first = await probe.create(`POST ${path}`, { data: await draft('first.img') });
  const second = await probe.create(`POST ${path}`, await draft('second.img'));
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(2);
  await probe.see(200, `GET ${path}/{id}`, { id: first });
  await probe.see(404, `GET ${path}/{id}`, { id: nobody });
  const body = { data: { description: 'blocks', parallel_workers: 4 } };
  expect((await probe.see(200, `PATCH ${path}/{id}`, { id: first, body })).data()).toMatchObject({
    parallel_workers: 4,
  });
  await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: { data: { parallel_workers: 65 } } });
  await probe.see(404, `PATCH ${path}/{id}`, { id: nobody, body });
  await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}

export async function mediaServerCases({ probe, app }: Stage): Promise<void> {
  const path = '/media_servers/{server_id}';
  const away = await rowsOf(app.database.db).mediaServer('leaves-soon.example.org');
  await probe.see(200, 'GET /media_servers');
  expect((await probe.see(200, `GET ${path}`, { id: away })).data()).toMatchObject({ role: 'media' });
  await probe.see(200, `PATCH ${path}`, { id: away, body: { description: 'in the cellar' } });
  await probe.see(400, `PATCH ${path}`, { id: away, body: { description: 7 } });
  await probe.see(404, `PATCH ${path}`, { id: nobody, body: { description: 'x' } });
  await probe.see(404, 'DELETE /media_servers', { body: { ids: [away, nobody] } });
  await probe.see(200, 'DELETE /media_servers', { body: { ids: [away] } });
}

export async function dynamicGroupCases(stage: Stage): Promise<void> {
  const { probe, queue } = stage;
  const path = '/dynamic_pool_groups';
  for (const name of ['Left', 'Right']) await queue.good('POST', '/pools', filePool(stage, name));
  const first = await probe.create(`POST ${path}`, { data: { name: 'Fast', max_pool_tasks: 2 } });
  const second = await probe.create(`POST ${path}`, { data: { name: 'Slow' } });
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(2);
  expect((await probe.see(200, `GET ${path}/{id}`, { id: first })).data()).toMatchObject({
    name: 'Fast',
    max_pool_tasks: 2,
    calculation_period: 60,
  });
  const body = { data: { max_cpu_usage: 80 } };
  await probe.see(200, `PATCH ${path}/{id}`, { id: first, body });
  await probe.see(400, `PATCH ${path}/{id}`, { id: first, body: { data: { max_cpu_usage: 101 } } });
  await probe.see(404, `PATCH ${path}/{id}`, { id: nobody, body });
  await memberCases(stage, first);
  await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}

async function memberCases({ probe }: Stage, group: number): Promise<void> {
  const path = '/dynamic_pool_groups_records';
  const left = await probe.create(`POST ${path}`, { data: { dynamic_pool_group: group, pool: 'Left' } });
  const right = await probe.create(`POST ${path}`, {
    data: { dynamic_pool_group: group, pool: 'Right', enabled: false },
  });
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(2);
  expect((await probe.see(200, `GET ${path}/{id}`, { id: right })).data()).toMatchObject({
    dynamic_pool_group: group,
    pool: 'Right',
    enabled: false,
  });
  await probe.see(404, `DELETE ${path}`, { body: { ids: [left, nobody] } });
  await probe.see(200, `DELETE ${path}`, { body: { ids: [left] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: right });
  await probe.see(404, `DELETE ${path}/{id}`, { id: right });
}
