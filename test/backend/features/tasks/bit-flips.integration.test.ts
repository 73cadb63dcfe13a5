import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Copy } from '../../../../contract/repository/copy.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { effort } from '../../../support/effort.ts';

const transferBlockBytes = 4096;
const frameBytes = 4 * transferBlockBytes;
const flips = effort(80, 200);
let lab: BackupLab;
let source: string;

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

beforeAll(async () => {
  lab = await openBackupLab('flips');
  await lab.queue.good('PATCH', '/global_configuration', { file_transfer_block_size: transferBlockBytes });
  await mkdir(join(lab.folder.path, 'plain'));
  // Frames that are not compressed lie in the archive where they are in the tar stream.
  await lab.queue.addPool('Plain', join(lab.folder.path, 'plain'), { compression_type: 'None' });
  source = join(lab.folder.path, 'living');
  const random = seeded(5);
  for (let folder = 0; folder < 12; folder += 1) {
    await mkdir(join(source, `folder-${folder}`), { recursive: true });
    for (let file = 0; file < 60; file += 1) {
      await writeFile(
        join(source, `folder-${folder}`, `file-${file}`),
        randomBytes(Math.floor(random() * 16_000)),
      );
    }
  }
});
afterAll(() => lab.close());

/** As the scheduler makes the task: the API itself takes full copies only. */
async function backUp(resource: string, kind: 'full' | 'incremental'): Promise<Copy> {
  const serviceMode = (isOn: boolean) =>
    lab.queue.good('PATCH', '/global_configuration/service_mode', { service_mode: isOn });
  await serviceMode(true);
  const id = await lab.queue.backup(resource, { pool: 'Plain' });
  const { db } = lab.app.database;
  await db.updateTable('tasks').set({ backup_type: kind }).where('id', '=', id).execute();
  await serviceMode(false);
  const task = await lab.queue.ended(id);
  expect(task).toMatchObject({ status: 'done', error_message: null });
  return lab.queue.copy(Number(task.repository_id));
}

interface Member {
  readonly path: string;
  readonly begin: number;
  readonly end: number;
}

/** What lies where in a tar stream, by a reader of its own: headers of 512 bytes, extended ones belong to what follows. */
function membersOf(tar: Buffer): readonly Member[] {
  const text = (at: number, length: number) => tar.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  const members: Member[] = [];
  let begin = 0;
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const type = text(at + 156, 1);
    const length = Number.parseInt(text(at + 124, 12), 8);
    const end = at + 512 + Math.ceil(length / 512) * 512;
    if (type !== 'x') {
      const prefix = text(at + 345, 155);
      const name = text(at, 100).replace(/\/$/, '');
      members.push({ path: prefix === '' ? name : `${prefix}/${name}`, begin, end: at + 512 + length });
      begin = end;
    }
    at = end;
  }
  return members;
}

async function archiveOf(copy: Copy): Promise<string> {
  const name = (await readdir(String(copy.path))).find((file) => file.startsWith('archive'));
  return join(String(copy.path), name ?? 'none');
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
}

/** Paths that the log of a verification names, by the copy that they belong to. */
async function namedBy(taskId: number): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named = new Map<string, Set<string>>();
  for (let page = 1; ; page += 1) {
    const lines = await lab.queue.good<{ message: string }[]>(
      'GET',
      `/tasks/${taskId}/info/servers?page=${page}&limit=500`,
    );
    for (const { message } of lines) {
      const found =
        /^(?:Copy (\d+), which builds on this one: )?(\/\S+): its data are not what was written/.exec(
          message,
        );
      if (found === null) continue;
      const [, id = 'own', path = ''] = found;
      named.set(id, (named.get(id) ?? new Set()).add(path));
    }
    if (lines.length < 500) return named;
  }
}

describe(`${flips} bits flipped in the copies of a pool`, { timeout: 300_000 }, () => {
  it('are told with every copy and path that they hit, and no others; nothing builds on them, and what lives is saved anew (case 88)', async () => {
    const control = await backUp(lab.source, 'full');
    const states: (readonly string[])[] = [];
    const copies: Copy[] = [];
    for (const round of [0, 1, 2]) {
      if (round > 0) {
        for (let folder = 0; folder < 12; folder += 1) {
          for (const file of [round, round + 10, round + 20]) {
            await appendFile(join(source, `folder-${folder}`, `file-${file}`), randomBytes(5000));
          }
          await writeFile(join(source, `folder-${folder}`, `new-${round}`), randomBytes(9000));
          await rm(join(source, `folder-${folder}`, `file-${40 + round}`));
        }
      }
      states.push(await pathsIn(source));
      copies.push(await backUp(source, round === 0 ? 'full' : 'incremental'));
    }
    expect(copies.map((copy) => copy.backup_type)).toEqual(['full', 'incremental', 'incremental']);

    // The truth, from the bytes as they were.
    const tars = await Promise.all(copies.map(async (copy) => readFile(await archiveOf(copy))));
    const members = tars.map(membersOf);
    const whole = tars.reduce((sum, tar) => sum + tar.length, 0);
    const random = seeded(88);
    const hit = copies.map(() => new Set<number>());
    const files = await Promise.all(copies.map(async (copy) => open(await archiveOf(copy), 'r+')));
    for (let flip = 0; flip < flips; flip += 1) {
      let at = Math.floor(random() * whole);
      const index = tars.findIndex((tar) => {
        if (at < tar.length) return true;
        at -= tar.length;
        return false;
      });
      const byte = (tars[index]?.[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      await files[index]?.write(Buffer.from([byte]), 0, 1, at);
      hit[index]?.add(Math.floor(at / frameBytes));
    }
    await Promise.all(files.map((file) => file.close()));
    const own = members.map((all, index) =>
      all
        .filter(({ begin, end }) => {
          const last = Math.floor((end - 1) / frameBytes);
          for (let frame = Math.floor(begin / frameBytes); frame <= last; frame += 1) {
            if (hit[index]?.has(frame)) return true;
          }
          return false;
        })
        .map(({ path }) => path),
    );
    const expected = states.map((state, index) => {
      const lost = new Set(own[index]);
      for (const path of state.map((one) => `living/${one}`)) {
        // Its content lies in the newest copy that has it as a member.
        for (let held = index; held >= 0; held -= 1) {
          if (!members[held]?.some((member) => member.path === path)) continue;
          if (own[held]?.includes(path)) lost.add(path);
          break;
        }
      }
      return new Set([...lost].map((path) => join(lab.folder.path, path)));
    });
    expect(Math.min(...expected.map((paths) => paths.size))).toBeGreaterThan(50);
    expect(states[2]?.length).toBeGreaterThan(2 * (expected[2]?.size ?? 0));

    const [full, second, third] = copies as [Copy, Copy, Copy];
    const first = await lab.queue.verify(full.id);
    expect((await lab.queue.ended(first)).status).toBe('error');
    const named = await namedBy(first);
    expect([...(named.get('own') ?? [])].sort()).toEqual([...(expected[0] ?? [])].sort());
    // Each says by itself what it has lost, with what it takes from the others; a verification of its own says the same.
    for (const [index, copy] of [second, third].entries()) {
      const truth = [...(expected[index + 1] ?? [])].sort();
      expect([...(named.get(String(copy.id)) ?? [])].sort(), `copy ${index + 1}`).toEqual(truth);
      expect((await lab.queue.copy(copy.id)).status).toBe('Suspicious');
      const task = await lab.queue.verify(copy.id);
      await lab.queue.ended(task);
      expect([...((await namedBy(task)).get('own') ?? [])].sort(), `copy ${index + 1}`).toEqual(truth);
    }
    expect((await lab.queue.ended(await lab.queue.verify(control.id))).status).toBe('done');
    expect(await lab.queue.copy(control.id)).toMatchObject({ status: 'Trusted', damage: null });

    const anew = await backUp(source, 'incremental');
    expect(anew).toMatchObject({ backup_type: 'full', reference_id: null });
    expect((await lab.queue.ended(await lab.queue.verify(anew.id))).status).toBe('done');
    const out = join(lab.folder.path, 'out');
    expect((await lab.queue.ended(await lab.queue.restore(anew.id, out))).status).toBe('done');
    expect(compareTrees(source, join(out, 'living'))).toEqual([]);
    const next = await backUp(source, 'incremental');
    expect(next).toMatchObject({ backup_type: 'incremental', reference_id: anew.id });
  });
});
