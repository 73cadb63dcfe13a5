import { workerData } from 'node:worker_threads';
import { type ByteString, toDisplay } from '../../platform/byte-path.ts';
import { collectYoungObjects } from '../../platform/collect-garbage.ts';
import { type StreamProgram, startStreamProcess } from '../../platform/stream-process.ts';
import { TarInput, type TarInputMember } from '../archive/tar-input.ts';
import { DeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring } from '../job/ring.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { MemberOutput } from './member-output.ts';
import { OwnerNames } from './owner-names.ts';
import type { PackingInput } from './packing.ts';
import { endCopy } from './reader-end.ts';
import type { ReaderResult } from './reader-totals.ts';
import { FolderTable, RowOutput, SkippedOutput } from './row-output.ts';
import { StreamMembers } from './stream-members.ts';
import { TarOutput } from './tar-output.ts';

/** Runs a program that writes a tar stream, and makes the copy's own tar stream and manifest of it. */
export interface StreamReaderInput extends PackingInput {
  readonly program: StreamProgram;
  /** What the copy says that it was made of, in display form. */
  readonly asked: string;
  /** What the resource is called in the copy. */
  readonly name: ByteString;
  /** The program runs on this host, so the numbers of owners are those of this host. */
  readonly isOfThisHost: boolean;
  readonly createdAtMs: number;
}

/** Looked at while the program says nothing. */
const LOOK_EVERY_MS = 100;
const BYTES_PER_TURN = 8_388_608;
/** `12345/67890 kB (18%), 0/1 tablespace`: what is done, and how much there is to do. */
const PROGRESS_LINE = /^\s*\d+\/(\d+) kB \(/;

const input = workerData as StreamReaderInput;
const control = new Control(input.control);

/** Owners of another host have the names that the stream gives them. */
class GivenNames {
  readonly used = new Map<number, ByteString>();

  note(id: number, name: ByteString): void {
    if (name !== '') this.used.set(id, name);
  }

  nameOf(id: number): ByteString {
    return this.used.get(id) ?? '';
  }
}

runWorkerAsync(control, async () => {
  const ring = new Ring(input.ring, input.slotCount, control);
  const output = new TarOutput(ring, input.frameBytes, input.blocks !== null);
  const { users, groups, noteOwner } = ownerNames();
  const members = new MemberOutput(output, control, users, groups);
  const sink = new StreamMembers(members, { control, name: input.name, noteOwner });
  await passStream(new TarInput(sink));
  if (sink.rows === null) throw new DeviceError('corrupt', `${input.program.path} sent an empty stream.`);
  const rows = new RowOutput(output, 0n);
  const folders = new FolderTable();
  sink.rows.writeTo(rows, folders);
  control.set('bytesTotal', sink.bytes);
  control.set('filesTotal', sink.files);
  endCopy(
    { output, rows, folders, skipped: new SkippedOutput(output), users, groups },
    {
      source: input.asked,
      createdAtMs: input.createdAtMs,
      device: '0',
      chain: [],
      reuse: { files: 0, bytes: 0, unread: 0 },
      files: sink.files,
      sourceBytes: sink.bytes,
      changed: 0,
      order: 'arrival',
    },
  );
  const result: ReaderResult = { skipped: [], changed: [] };
  finishWorker(result);
});

async function passStream(tar: TarInput): Promise<void> {
  const { path } = input.program;
  const running = startStreamProcess(input.program, noteProgress);
  if ('notStarted' in running) throw notStarted(running.notStarted);
  // A stop must be seen while the program is silent; while it speaks, each member and each slot looks.
  const watch = setInterval(() => {
    if (control.isStopped()) running.stop();
  }, LOOK_EVERY_MS);
  let sinceTurn = 0;
  try {
    for await (const chunk of running.output as AsyncIterable<Buffer>) {
      control.check();
      tar.push(chunk);
      sinceTurn += chunk.length;
      if (sinceTurn < BYTES_PER_TURN) continue;
      sinceTurn = 0;
      collectYoungObjects();
    }
    const { kind, code, told } = await running.ended;
    control.check();
    if (kind === 'notStarted') throw notStarted(told);
    if (kind !== 'exited' || code !== 0) {
      const how = kind === 'exited' ? `ended with ${code}` : 'was ended by a signal';
      throw new DeviceError('permanent', `${path} ${how}${told === '' ? '' : `: ${told}`}`);
    }
    tar.end();
  } finally {
    clearInterval(watch);
    running.stop();
    await running.ended;
  }
}

function notStarted(reason: string): DeviceError {
  return new DeviceError('notFound', `${input.program.path} could not be started: ${toDisplay(reason)}`);
}

function noteProgress(line: string): boolean {
  const match = PROGRESS_LINE.exec(line);
  if (match === null) return false;
  control.set('bytesTotal', Number(match[1]) * 1024);
  return true;
}

function ownerNames() {
  if (input.isOfThisHost) {
    const users = new OwnerNames('/etc/passwd', false);
    return { users, groups: new OwnerNames('/etc/group', false), noteOwner: () => undefined };
  }
  const users = new GivenNames();
  const groups = new GivenNames();
  const noteOwner = ({ uid, gid, userName, groupName }: TarInputMember): void => {
    users.note(uid, userName);
    groups.note(gid, groupName);
  };
  return { users, groups, noteOwner };
}
