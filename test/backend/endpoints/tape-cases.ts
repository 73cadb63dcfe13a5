import { expect } from 'vitest';
import type { TapeCandidates } from '../../../contract/tape-libraries/tape-library.ts';
import { nobody, type Stage } from './stage.ts';

const path = '/tape_libraries';

/** Two libraries behind the interface of the drivers: one is removed by a list of ids, one by its own. */
export async function tapeLibraryCases(stage: Stage): Promise<void> {
  const { probe, libraries, queue, mediaServer } = stage;
  const found = await probe.see(200, `GET ${path}/candidates`, {
    query: { media_server: mediaServer, adding_type: 'auto' },
  });
  const { medium_changers: changers, tape_drives: drives } = found.data<TapeCandidates>();
  expect(changers).toHaveLength(libraries.length);
  const info = await probe.see(200, `POST ${path}/candidates/info`, {
    body: { data: { media_server: mediaServer, medium_changer_sg_path: libraries[0]?.path } },
  });
  expect(info.data<{ slots: unknown[] }>().slots.length).toBeGreaterThan(0);
  const missing = { media_server: mediaServer, medium_changer_sg_path: '/dev/sg-none' };
  await probe.see(404, `POST ${path}/candidates/info`, { body: missing });

  const ids: number[] = [];
  for (const [index, changer] of changers.entries()) {
    const pool = `Tapes ${index}`;
    const poolBody = { pool_name: pool, pool_type: 'Tape library', media_server: mediaServer };
    await queue.good('POST', '/pools', poolBody);
    const own = drives.filter((drive) => drive.medium_changer_id === changer.id);
    const draft = {
      pool,
      media_server: mediaServer,
      medium_changer_candidate_id: changer.id,
      tape_drives_candidates_ids: own.map(({ id }) => id),
    };
    ids.push(await probe.create(`POST ${path}`, index === 0 ? { data: draft } : draft));
  }
  await libraryCases(stage, ids);
}

async function libraryCases({ probe, libraries }: Stage, ids: readonly number[]): Promise<void> {
  const [first, second] = ids;
  expect((await probe.see(200, `GET ${path}`)).data()).toHaveLength(ids.length);
  expect((await probe.see(200, `GET ${path}/{id}`, { id: first })).data()).toMatchObject({
    pool: 'Tapes 0',
    status: 'Online',
  });
  await probe.see(404, `GET ${path}/{id}`, { id: nobody });
  const tree = await probe.see(200, `POST ${path}/tree`, {
    body: { data: { pools: { page: 1, limit: 20 } } },
  });
  expect(tree.data()).toMatchObject({
    libraries: [{ slots: [] }, { slots: [] }],
    pools: { page: 1, limit: 20, total: 2 },
  });

  const synced = await probe.see(200, `POST ${path}/{id}/sync`, { id: first });
  expect(synced.data()).toEqual({ slots_total: 8, cartridges: 1 });
  libraries[0]?.insert(1030, 'NEW001L8');
  const refused = await probe.see(422, `POST ${path}/{id}/sync`, { id: first });
  expect(refused.body.errors).toEqual({ barcode: 'NEW001L8' });

  await probe.see(404, `DELETE ${path}`, { body: { ids: [first, nobody] } });
  await probe.see(200, `DELETE ${path}`, { body: { ids: [first] } });
  await probe.see(200, `DELETE ${path}/{id}`, { id: second });
  await probe.see(404, `DELETE ${path}/{id}`, { id: second });
}
