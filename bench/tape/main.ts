import { randomFillSync } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { TapeCandidates } from '../../contract/tape-libraries/tape-library.ts';
import type { Task } from '../../contract/tasks/task.ts';
import { startTapeLibrary } from '../../test/lab/tape/tape-library.ts';
import { median } from '../support/measure.ts';
import { runBare } from './bare.ts';
import { type BenchServer, cpuSecondsOf, startServer } from './server.ts';

/**
 * A backup to tape and a restore from it through the whole product, beside the bare driver that writes and reads the same amount of the
 * same bytes at the same target (an iSCSI tape library in user space on this host) in the same run. `share` is that of the bare driver's
 * speed; `tape` the part of the task in which the tape moved; `kept` the bare driver that also writes what it reads to a new file, as a restore
 * has to. The product's seconds are those of the task from its acceptance to its end.
 * Each of the two has a cartridge of its own, whose file is written over from the second run on: a file that grows takes its memory from
 * the system at each block, which on a virtual machine costs the target more than all else.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    megabytes: { type: 'string', default: '1024' },
    runs: { type: 'string', default: '3' },
    // `None` writes the bytes that the bare driver writes; drives compress by themselves.
    compression: { type: 'string', default: 'None' },
  },
});
const mib = 1_048_576;
const megabytes = Number(values.megabytes);
const runs = Number(values.runs);
const blockBytes = 262_144;
const projectRoot = join(import.meta.dirname, '..', '..');
const work = await mkdtemp(join(tmpdir(), 'strongroom-bench-tape-'));
const lab = await startTapeLibrary({
  drives: 1,
  slots: 4,
  barcodes: ['A00001L8', 'A00002L8'],
  cartridgeMb: megabytes + 128,
  transfer: 'big',
});
let server: BenchServer | null = null;

interface Run {
  readonly seconds: number;
  /** Of these, while bytes went to the tape or came from there. */
  readonly tapeSeconds: number;
  readonly cpuSeconds: number;
  readonly targetCpuSeconds: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly mainCpuSeconds: number;
}

async function makeSource(folder: string): Promise<readonly Buffer[]> {
  await mkdir(folder);
  const blocks = Array.from({ length: (megabytes * mib) / blockBytes }, () =>
    randomFillSync(Buffer.allocUnsafe(blockBytes)),
  );
  const file = await open(join(folder, 'random.bin'), 'w');
  for (const block of blocks) await file.write(block);
  await file.close();
  return blocks;
}

async function addLibrary(to: BenchServer): Promise<void> {
  const place = { media_server: hostname() };
  const { address, port } = lab;
  await to.good('POST', '/scsi_portals', { ...place, address, port });
  const kind = { pool_type: 'Tape library', compression_type: values.compression };
  const pool = { pool_name: 'Tapes', ...kind, ...place };
  await to.good('POST', '/pools', { data: pool });
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  const found = await to.good<TapeCandidates>('GET', `/tape_libraries/candidates?${query}`);
  await to.good('POST', '/tape_libraries', {
    pool: 'Tapes',
    ...place,
    medium_changer_candidate_id: found.medium_changers[0]?.id,
    tape_drives_candidates_ids: found.tape_drives.map(({ id }) => id),
  });
  // The last one is the bare driver's.
  const all = await to.good<{ id: number; barcode: string }[]>('GET', '/cartridges');
  const last = all.find(({ barcode }) => barcode === 'A00002L8');
  await to.good('DELETE', `/cartridges/${last?.id}`);
}

async function measured(to: BenchServer, begin: () => Promise<number>): Promise<{ task: Task; run: Run }> {
  await to.loopDelay();
  const cpu = await cpuSecondsOf(to.pid);
  const targetCpu = await cpuSecondsOf(lab.pid);
  const id = await begin();
  let task = await to.good<Task>('GET', `/tasks/${id}`);
  // Asking more often takes computing from what is measured, whose times the server tells exactly.
  while (!['done', 'error', 'killed', 'suspended'].includes(task.status)) {
    await wait(100);
    task = await to.good<Task>('GET', `/tasks/${id}`);
  }
  if (task.status !== 'done') throw new Error(`the task ended: ${task.status} ${task.error_message}`);
  const seconds = (Date.parse(`${task.finished}Z`) - Date.parse(`${task.created}Z`)) / 1000;
  const delay = await to.loopDelay();
  const run = {
    seconds,
    tapeSeconds: await tapeSecondsOf(to, id),
    cpuSeconds: (await cpuSecondsOf(to.pid)) - cpu,
    targetCpuSeconds: (await cpuSecondsOf(lab.pid)) - targetCpu,
    ...delay,
  };
  return { task, run };
}

/** As the log of the task has it: between what it says before and after the tape. */
async function tapeSecondsOf(to: BenchServer, id: number): Promise<number> {
  const lines = await to.good<{ time: string; message: string }[]>(
    'GET',
    `/tasks/${id}/info/servers?limit=500`,
  );
  const at = (words: RegExp): number => {
    const found = lines.find(({ message }) => words.test(message));
    if (!found) throw new Error(`the log of task ${id} does not say ${words}: ${JSON.stringify(lines)}`);
    return Date.parse(`${found.time}Z`);
  };
  return (
    (at(/(were written to|was read from) the cartridge/) -
      at(/^(Writing to|Reading part 1 from) the cartridge/)) /
    1000
  );
}

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));
function rowOf(
  work: string,
  bareSeconds: readonly number[],
  product: readonly Run[],
  keepSeconds: readonly number[] = [],
) {
  const of = (pick: (run: Run) => number): number => median(product.map(pick));
  const bare = median(bareSeconds);
  return {
    work,
    megabytes,
    bareMibPerSecond: rounded(megabytes / bare, 0),
    productMibPerSecond: rounded(megabytes / of((run) => run.seconds), 0),
    tapeMibPerSecond: rounded(megabytes / of((run) => run.tapeSeconds), 0),
    share: rounded(bare / of((run) => run.seconds)),
    tapeShare: rounded(bare / of((run) => run.tapeSeconds)),
    ...(keepSeconds.length === 0
      ? {}
      : {
          keptMibPerSecond: rounded(megabytes / median(keepSeconds), 0),
          keptShare: rounded(median(keepSeconds) / of((run) => run.seconds)),
        }),
    cpuSeconds: rounded(of((run) => run.cpuSeconds)),
    mainThreadCpuSeconds: rounded(of((run) => run.mainCpuSeconds)),
    targetCpuSeconds: rounded(of((run) => run.targetCpuSeconds)),
    loopDelayP99Ms: rounded(
      of((run) => run.p99Ms),
      1,
    ),
    loopDelayMaxMs: rounded(Math.max(...product.map((run) => run.maxMs)), 1),
  };
}

try {
  const source = join(work, 'source');
  const blocks = await makeSource(source);
  server = await startServer(projectRoot, work);
  await addLibrary(server);
  const [client] = await server.good<{ hostname: string; hwid: string }[]>('GET', '/clients');
  const clientText = `${client?.hostname} (${client?.hwid})`;
  const bare: { writeSeconds: number; readSeconds: number; keepSeconds: number }[] = [];
  const backups: Run[] = [];
  const restores: Run[] = [];
  for (let run = 1; run <= runs; run += 1) {
    bare.push(await runBare(lab, blocks, join(work, 'kept.bin')));
    const task = {
      resource_type: 'File system',
      resource: source,
      client: clientText,
      backup_type: 'full',
      pool: 'Tapes',
      crypto: 'nocrypt',
      priority: 100,
      storage_duration: '1 year',
      archiving: false,
    };
    const to = server;
    const backup = await measured(
      to,
      async () => (await to.good<{ id: number }>('POST', '/task_queue', { task })).id,
    );
    backups.push(backup.run);
    const target = join(work, `restored-${run}`);
    await mkdir(target);
    const restoreTask = { target_client: clientText, destination_path: target };
    const path = `/repository/${backup.task.repository_id}/restoring`;
    const restore = await measured(
      to,
      async () => (await to.good<{ task_id: number }>('POST', path, { restore_task: restoreTask })).task_id,
    );
    restores.push(restore.run);
    const [found] = (await readdir(target, { recursive: true })).filter((name) =>
      name.endsWith('random.bin'),
    );
    const { size } = await stat(join(target, found ?? ''));
    if (size !== megabytes * mib) throw new Error(`${size} bytes came back of ${megabytes * mib}`);
    await rm(target, { recursive: true });
    // So that the cartridge is written anew from its beginning.
    await to.good('DELETE', `/repository/${backup.task.repository_id}`);
    process.stderr.write(`run ${run} of ${runs}\n`);
  }
  const rows = [
    rowOf(
      'backup',
      bare.map((one) => one.writeSeconds),
      backups,
    ),
    rowOf(
      'restore',
      bare.map((one) => one.readSeconds),
      restores,
      bare.map((one) => one.keepSeconds),
    ),
  ];
  const load = loadavg().map((one) => rounded(one, 1));
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ runs, compression: values.compression, loadAverage: load, rows })}\n`,
    );
  else {
    for (const row of rows) {
      const figures = Object.entries(row).map(([name, value]) => `${name} ${value}`);
      process.stdout.write(`${figures.join(', ')}\n`);
    }
    process.stdout.write(`load average ${load.join(' ')}, ${runs} runs, medians\n`);
  }
} finally {
  await server?.stop();
  await lab.stop();
  await rm(work, { recursive: true, force: true });
}
