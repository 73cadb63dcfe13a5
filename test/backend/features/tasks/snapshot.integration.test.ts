import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Session, startTestApp, type TestApp } from '../../../support/backend.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeBigFolder, makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { makeScript, untilGone, untilWritten } from '../../../support/real-scripts.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const reason = whyNoSmallDisk('btrfs');
if (reason !== null) process.stderr.write(`skipped: the tests of snapshots, since ${reason}\n`);

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let app: TestApp;
let root: Session;
let queue: Queue;

const file = (name: string) => join(folder.path, name);
const script = (name: string, ...lines: readonly string[]) => makeScript(folder.path, name, lines);
const backUp = async (resource: string, parameters: object, more: object = {}): Promise<number> => {
  const body = {
    ...(await queue.draft(resource, more)),
    module_extensions: { parameters: { use_snapshot: true, ...parameters } },
  };
  return (await queue.good<{ id: number }>('POST', '/task_queue', body)).id;
};
const lines = async (id: number): Promise<string[]> =>
  (await queue.log(id, 'clients')).map(({ level, message }) => `${level}: ${message}`);
const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.startsWith('STRONGROOM_'))
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );

beforeEach(async () => {
  folder = await makeTempDir('snapshot');
  app = await startTestApp({ started: true, scriptTimeoutMs: 8_000 });
  root = await app.loginAs('superuser');
  queue = queueOf(root.send);
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

describe.skipIf(reason !== null)('a backup from a snapshot', { timeout: 120_000 }, () => {
  let disk: SmallDisk;
  let subvolume: string;
  let source: string;

  beforeEach(async () => {
    disk = await makeSmallDisk(folder.path, { kind: 'btrfs', megabytes: 512 });
    subvolume = join(disk.path, 'sub volume');
    execFileSync('btrfs', ['subvolume', 'create', subvolume], { stdio: 'pipe' });
    source = join(subvolume, 'files');
    await makeSmallFolder(source);
  });
  afterEach(() => disk.remove());

  const left = async () => (await readdir(subvolume)).filter((name) => name.startsWith('.strongroom'));
  const restored = async (copyId: number, name: string): Promise<string> => {
    expect((await queue.ended(await queue.restore(copyId, file(name)))).status).toBe('done');
    return join(file(name), 'files');
  };

  it('has the files of one moment, between its scripts, under their own paths', async () => {
    const before = await script(
      'before',
      `echo frozen > '${source}/frozen'`,
      `cp -a '${source}' '${file('state')}'`,
      `env > '${file('told before')}'`,
    );
    const after = await script(
      'after',
      `rm -r '${source}/letters'`,
      `echo thawed > '${source}/note.txt'`,
      `echo new > '${source}/new'`,
      `env > '${file('told after')}'`,
      `ls -a '${subvolume}' > '${file('listed')}'`,
    );
    const error = await script('error', `touch '${file('failed')}'`);
    const id = await backUp(source, {
      script_before_snapshot: before,
      script_after_snapshot: after,
      script_error_snapshot: error,
    });
    const task = await queue.ended(id);
    expect(task).toMatchObject({ status: 'done', error_message: null, skipped_items: 0 });
    const copy = await queue.copy(Number(task.repository_id));
    expect(copy.resource).toBe(source);
    expect(compareTrees(file('state'), await restored(copy.id, 'out'))).toEqual([]);
    expect(await readFile(join(source, 'new'), 'utf8')).toBe('new\n');
    expect(await readFile(file('listed'), 'utf8')).toContain('.strongroom-snapshot-');
    expect(await left()).toEqual([]);
    await expect(stat(file('failed'))).rejects.toThrow('ENOENT');
    const [toldBefore, toldAfter] = [
      variablesIn(await readFile(file('told before'), 'utf8')),
      variablesIn(await readFile(file('told after'), 'utf8')),
    ];
    // Of each run its own.
    const runId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(toldBefore).toEqual({
      STRONGROOM_EVENT: 'snapshot_before',
      STRONGROOM_STATUS: 'at_client',
      STRONGROOM_ERROR: '',
      STRONGROOM_TASK_ID: String(id),
      STRONGROOM_TASK_TYPE: 'backup_urgent',
      STRONGROOM_ATTEMPT: '1',
      STRONGROOM_RULE_ID: '',
      STRONGROOM_CLIENT: await queue.localClient(),
      STRONGROOM_RESOURCE_TYPE: 'File system',
      STRONGROOM_RESOURCE: source,
      STRONGROOM_BACKUP_TYPE: 'full',
      STRONGROOM_POOL: 'Default',
      STRONGROOM_COPY_ID: '',
      STRONGROOM_DESTINATION: '',
      STRONGROOM_DEPLOYMENT: 'no',
      STRONGROOM_RUN_ID: runId,
    });
    expect(toldAfter).toEqual({
      ...toldBefore,
      STRONGROOM_EVENT: 'snapshot_after',
      STRONGROOM_RUN_ID: runId,
    });
    expect(toldAfter.STRONGROOM_RUN_ID).not.toBe(toldBefore.STRONGROOM_RUN_ID);
    const told = (await lines(id)).join('\n');
    expect(told).toMatch(/read from the snapshot .*\.strongroom-snapshot-/);
    expect(told).toMatch(/The snapshot .* was removed/);
  });

  it('tells of each subvolume and mount that the snapshot does not have, and leaves out what is no data', async () => {
    execFileSync('btrfs', ['subvolume', 'create', join(source, 'inner')], { stdio: 'pipe' });
    await writeFile(join(source, 'inner', 'not here'), 'x');
    await mkdir(join(source, 'mounted'));
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(source, 'mounted')]);
    await mkdir(join(source, 'storage'));
    await queue.addPool('Inside', join(source, 'storage'));
    try {
      const task = await queue.ended(await backUp(source, {}));
      const told = (await lines(task.id)).join('\n');
      expect(task, told).toMatchObject({ status: 'done', skipped_items: 1 });
      expect(told).toContain(`warning: Skipped ${source}/inner: a subvolume of its own`);
      expect(told).toContain(`warning: ${source}/mounted is not in the copy: another file system`);
      expect(told).toContain(`info: Skipped ${source}/storage: left out by rule`);
      expect(told).not.toMatch(/Skipped .*\.strongroom-snapshot/);
      const out = await restored(Number(task.repository_id), 'out');
      expect(await readdir(join(out, 'inner'))).toEqual([]);
      expect((await readdir(out)).sort()).toEqual(['inner', 'letters', 'mounted', 'note.txt']);
    } finally {
      execFileSync('umount', [join(source, 'mounted')]);
    }
  });

  it('of a whole subvolume, of one file and of the top of the file system are made alike', async () => {
    for (const [resource, name] of [
      [subvolume, 'sub volume'],
      [join(source, 'note.txt'), 'note.txt'],
      [disk.path, 'disk'],
    ] as const) {
      const task = await queue.ended(await backUp(resource, {}));
      expect(task, resource).toMatchObject({ status: 'done', error_message: null });
      const out = file(`out of ${name}`);
      await queue.ended(await queue.restore(Number(task.repository_id), out));
      expect(await readdir(out)).toEqual([name]);
    }
    expect(await readdir(disk.path)).toEqual(['sub volume']);
    const whole = join(file('out of sub volume'), 'sub volume', 'files');
    expect(compareTrees(source, whole)).toEqual([]);
    expect(await readdir(join(file('out of disk'), 'disk', 'sub volume'))).toEqual([]);
  });

  it('knows unchanged files again, also those of a copy that was made without a snapshot', async () => {
    const incremental = async (parameters: object): Promise<string[]> => {
      await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
      const id = await backUp(source, parameters);
      const { db } = app.built.features;
      await db.updateTable('tasks').set({ backup_type: 'incremental' }).where('id', '=', id).execute();
      await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
      const task = await queue.ended(id);
      expect(task).toMatchObject({ status: 'done', error_message: null });
      expect(await queue.copy(Number(task.repository_id))).toMatchObject({ backup_type: 'incremental' });
      return lines(id);
    };
    await writeFile(join(source, 'large'), Buffer.alloc(3_000_000, 7));
    await queue.ended(await queue.backup(source));
    for (const parameters of [{}, {}, { use_snapshot: false }]) {
      await writeFile(join(source, 'note.txt'), `${Math.random()}`);
      expect((await incremental(parameters)).join('\n')).toMatch(/3 files unchanged/);
    }
    const [newest] = (await queue.copies()).toSorted((one, other) => other.id - one.id);
    expect(compareTrees(source, await restored(Number(newest?.id), 'out'))).toEqual([]);
  });

  it('is not made after a script that failed: the task fails, or reads the files as they are', async () => {
    const before = await script('before', 'echo no way >&2', 'exit 7');
    const error = await script('error', `env > '${file('told')}'`);
    const parameters = { script_before_snapshot: before, script_error_snapshot: error };
    const failed = await queue.ended(await backUp(source, parameters));
    expect(failed).toMatchObject({ status: 'error', repository_id: null });
    expect(failed.error_message).toContain('exit code 7');
    expect(variablesIn(await readFile(file('told'), 'utf8'))).toMatchObject({
      STRONGROOM_EVENT: 'snapshot_error',
      STRONGROOM_ERROR: failed.error_message,
    });
    expect((await lines(failed.id)).join('\n')).toContain(`warning: ${before}: no way`);
    const ignoring = await queue.ended(await backUp(source, { ...parameters, ignore_errors_snapshot: true }));
    expect(ignoring.status).toBe('done');
    expect((await lines(ignoring.id)).join('\n')).toMatch(/warning: .*exit code 7.*read as they are/);
    expect(compareTrees(source, await restored(Number(ignoring.repository_id), 'out'))).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('stays good when the script after it fails, which the log says', async () => {
    const after = await script('after', 'exit 8');
    const task = await queue.ended(await backUp(source, { script_after_snapshot: after }));
    expect(task.status).toBe('done');
    expect((await lines(task.id)).join('\n')).toMatch(/error: .*exit code 8/);
  });

  it('that hangs in a script ends with a kill: its children go, and what was stopped for it runs again', async () => {
    const before = await script('before', `sleep 1000 & echo $! > '${file('child')}'`, 'wait');
    const error = await script('error', `env > '${file('told')}'`);
    const id = await backUp(source, { script_before_snapshot: before, script_error_snapshot: error });
    const child = Number(await untilWritten(file('child')));
    await queue.good('POST', `/tasks/${id}/kill`);
    await untilGone(child);
    expect(variablesIn(await untilWritten(file('told')))).toMatchObject({
      STRONGROOM_EVENT: 'snapshot_error',
      STRONGROOM_ERROR: 'The task was stopped.',
    });
    expect((await queue.task(id)).status).toBe('killed');
    expect(await left()).toEqual([]);
  });

  it('lets the script after it finish at a kill, and removes the snapshot all the same', async () => {
    const after = await script(
      'after',
      `echo begun > '${file('begun')}'`,
      `while test ! -e '${file('go')}'; do sleep 0.1; done`,
      `echo thawed > '${file('thawed')}'`,
    );
    const id = await backUp(source, { script_after_snapshot: after });
    await untilWritten(file('begun'));
    await queue.good('POST', `/tasks/${id}/kill`);
    await writeFile(file('go'), '');
    expect(await untilWritten(file('thawed'))).toBe('thawed\n');
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect((await queue.task(id)).status).toBe('killed');
    expect(await queue.copies()).toEqual([]);
  });

  it('whose script runs too long is ended with all that it started', async () => {
    const before = await script('before', `sleep 1000 & echo $! > '${file('child')}'`, 'wait');
    const task = await queue.ended(await backUp(source, { script_before_snapshot: before }));
    expect(task.error_message).toContain('did not end within 8 s');
    await untilGone(Number(await untilWritten(file('child'))));
  });

  it('leaves no snapshot behind when it is killed while it reads', async () => {
    await makeBigFolder(join(source, 'big'), 120);
    await mkdir(file('slow'));
    await queue.addPool('Slow', file('slow'));
    await queue.slowDown('backup', 4);
    const id = await backUp(source, {}, { pool: 'Slow' });
    await queue.moving(id);
    expect(await left()).toHaveLength(1);
    await queue.good('POST', `/tasks/${id}/kill`);
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect(await readdir(file('slow'))).toEqual([]);
    await queue.fullSpeed();
  });

  it('needs as much free space as snapshot_size says', async () => {
    const task = await queue.ended(await backUp(source, { snapshot_size: 100 }));
    expect(task.status).toBe('error');
    expect(task.error_message).toMatch(/\d+ % of its file system are free, and snapshot_size asks for 100 %/);
  });

  it('is not made where only a part of the subvolume is mounted', async () => {
    const elsewhere = file('elsewhere');
    await mkdir(elsewhere);
    execFileSync('mount', ['--bind', source, elsewhere]);
    try {
      const task = await queue.ended(await backUp(elsewhere, {}));
      expect(task.error_message).toContain('only a part of its subvolume is mounted');
    } finally {
      execFileSync('umount', [elsewhere]);
    }
  });

  it('of another task is not in a backup of the files as they are', async () => {
    const other = `.strongroom-snapshot-${'0'.repeat(8)}`;
    execFileSync('btrfs', ['subvolume', 'snapshot', '-r', subvolume, join(subvolume, other)], {
      stdio: 'pipe',
    });
    const task = await queue.ended(await backUp(subvolume, { use_snapshot: false }));
    await queue.ended(await queue.restore(Number(task.repository_id), file('out')));
    expect(await readdir(join(file('out'), 'sub volume'))).toEqual(['files']);
    expect((await lines(task.id)).join('\n')).toContain(
      `Skipped ${join(subvolume, other)}: a snapshot that this server`,
    );
  });
});

it('a folder that lies on no btrfs is refused with the remedy, or read as it is', async () => {
  await makeSmallFolder(file('plain'));
  const error = await script('error', `touch '${file('told')}'`);
  const failed = await queue.ended(await backUp(file('plain'), { script_error_snapshot: error }));
  expect(failed.status).toBe('error');
  expect(failed.error_message).toMatch(/no(t lie on)? btrfs.*ignore_errors_snapshot/);
  await stat(file('told'));
  const read = await queue.ended(await backUp(file('plain'), { ignore_errors_snapshot: true }));
  expect(read.status).toBe('done');
  expect((await lines(read.id)).join('\n')).toMatch(/warning: .*read as they are/);
});

it('kinds of snapshots that are not made here are refused by name', async () => {
  for (const snapshot_type of ['lvm', 'dattobd']) {
    const body = {
      ...(await queue.draft('/srv')),
      module_extensions: { parameters: { use_snapshot: true, snapshot_type } },
    };
    const answer = await queue.call('POST', '/task_queue', body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.snapshot_type).toContain('choose auto');
  }
});

it('programs may be named by those alone who may write rules, since they run with the rights of the server', async () => {
  const body = {
    ...(await queue.draft('/srv')),
    module_extensions: { parameters: { script_after_snapshot: '/bin/true' } },
  };
  const maintainer = await app.loginAs('maintainer');
  const answer = await maintainer.send('POST', '/task_queue', body);
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['script_after_snapshot']]);
  expect((await queue.call('POST', '/task_queue', body)).status).toBe(201);
});
