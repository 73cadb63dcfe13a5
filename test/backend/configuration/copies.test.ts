import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import { type RepositoryLab, startRepositoryLab } from '../repository/support.ts';

let lab: RepositoryLab;
beforeEach(async () => {
  lab = await startRepositoryLab();
});
afterEach(() => lab.close());

let named = 0;
const folderOf = (uuid: string) => join(lab.app.dataDir, 'pools', 'default', uuid);
/** A copy with a folder on the default storage. */
async function copy(
  columns: Parameters<typeof lab.rows.copy>[1] = {},
): Promise<{ id: number; uuid: string }> {
  named += 1;
  const uuid = `${named.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  await mkdir(folderOf(uuid));
  await writeFile(join(folderOf(uuid), 'archive.tar'), 'secret '.repeat(1000));
  const id = await lab.rows.copy({ poolId: 1, storageId: 1, clientId: 1 }, { uuid, ...columns });
  return { id, uuid };
}
const listed = async () =>
  (await lab.superuser.send('GET', '/repository')).data<Copy[]>().map(({ id }) => id);
const remove = (ids: readonly number[]) => lab.superuser.send('DELETE', '/repository', { ids });
const expire = () => lab.repository.copies.expireDue(lab.clock.now());

describe('delete_archives_with_zeroing', () => {
  it.each([
    [true, /^\0+$/],
    [false, /^(secret )+$/],
  ])('%s: what a deleted copy held on the disk', async (zeroing, left) => {
    await lab.configure({ delete_archives_with_zeroing: zeroing });
    const { id, uuid } = await copy();
    // An open file is still read after its name is gone.
    const fd = openSync(join(folderOf(uuid), 'archive.tar'), 'r');
    expect((await remove([id])).status).toBe(200);
    const bytes = Buffer.alloc(fstatSync(fd).size);
    readSync(fd, bytes, 0, bytes.length, 0);
    closeSync(fd);
    expect(bytes.toString('latin1')).toMatch(left);
  });
});

describe.each([
  ['dont_delete_last_gs_rule_archive', 'rule_id'],
  ['dont_delete_last_strategy_rule_archive', 'strategy_rule_id'],
])('%s', (field, column) => {
  it('keeps the last copy of a rule from people and from its own end (case 95)', async () => {
    const old = await copy({ [column]: 7, store_until_ms: 1 });
    const young = await copy({ [column]: 7, store_until_ms: 2 });
    const other = await copy({ store_until_ms: 1 });
    expect(await expire()).toEqual([old.id, other.id]);
    expect(await listed()).toEqual([young.id]);
    const refused = await remove([young.id]);
    expect([refused.status, refused.body.errors.ids]).toEqual([400, expect.stringContaining('last copy')]);
    await lab.configure({ [field]: false });
    expect(await expire()).toEqual([young.id]);
  });
});

describe('mandatory_storage_time', () => {
  it('keeps a copy although it has expired', async () => {
    const { id } = await copy({ created_ms: lab.clock.now() - 86_400_000, store_until_ms: 1 });
    await lab.configure({ mandatory_storage_time: 2 });
    expect(await expire()).toEqual([]);
    expect((await remove([id])).status).toBe(400);
    await lab.configure({ mandatory_storage_time: 1 });
    expect(await expire()).toEqual([id]);
  });
});
