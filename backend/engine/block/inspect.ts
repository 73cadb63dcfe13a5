import { constants, type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { isAnswering, NotAnswering, patientAnswerMs } from '../../platform/answering.ts';
import { deviceText } from '../../platform/device-of.ts';
import { errorCode } from '../../platform/native.ts';
import { ProcessError, runProcess } from '../../platform/process-runner.ts';
import { lastPage, PAGE_BYTES } from '../blocks/geometry.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { deviceFacts, type SystemUse, sysFolder, systemUseOfDevice, systemUseOfFile } from './system-use.ts';

/** What stands behind the path of a would-be block device. */
export interface BlockInspection {
  readonly kind: 'block' | 'file';
  /** The path with symbolic links followed. */
  readonly realPath: string;
  readonly sizeBytes: number;
  readonly readOnly: boolean;
  /** What the system does with it; such a device must not be written, whatever is on it. */
  readonly use: SystemUse | { readonly kind: 'open elsewhere' } | null;
  /** Names of what lies on it (`ext4`, `dos partition table`, `LVM2_member`); empty = nothing known. */
  readonly signatures: readonly string[];
  /** Its first or last bytes are not zero, so something is on it even if nothing knows what. */
  readonly hasData: boolean;
}

/** The two ends of a device; all common signatures lie there. */
const edgeBytes = 1024 * 1024;
const probeTimeoutMs = 60_000;

/**
 * Looks at a block device or plain file without changing it. Rejects with a `DeviceError`: `notFound`, `permission`,
 * `permanent` for something that is neither of the two, `transient` for a file on a mount that hangs.
 */
export async function inspectBlockDevice(path: string): Promise<BlockInspection> {
  if (!(await isAnswering(path, patientAnswerMs)))
    throw new DeviceError('transient', new NotAnswering(path).message);
  try {
    const facts = await stat(path);
    if (facts.isBlockDevice()) return await inspectDevice(path, deviceText(facts.rdev));
    if (facts.isFile()) return await inspectFile(path, facts.size);
  } catch (error) {
    throw toDeviceError(error, path);
  }
  throw new DeviceError('permanent', `${path}: it is neither a block device nor a plain file.`);
}

async function inspectDevice(path: string, number: string): Promise<BlockInspection> {
  const facts = await deviceFacts(number);
  if (facts === null) throw new DeviceError('notFound', `${path}: the system does not know this device.`);
  const use = await systemUseOfDevice(number);
  const opened = use === null ? await openExclusively(path, facts.readOnly) : null;
  const common = { kind: 'block' as const, realPath: await realpath(path), ...facts };
  if (use !== null || opened === null) {
    return { ...common, use: use ?? { kind: 'open elsewhere' }, signatures: [], hasData: true };
  }
  return { ...common, use: null, ...(await contentOf(path, opened, facts.sizeBytes)) };
}

async function inspectFile(path: string, sizeBytes: number): Promise<BlockInspection> {
  const use = await systemUseOfFile(path);
  const common = { kind: 'file' as const, realPath: await realpath(path), sizeBytes, readOnly: false };
  if (use !== null) return { ...common, use, signatures: [], hasData: true };
  const file = await open(path, 'r+');
  return { ...common, use: null, ...(await contentOf(path, file, sizeBytes)) };
}

/**
 * Opened like this, the kernel refuses (`EBUSY`) when anything else claims the device: a mount of any kind, a RAID, a volume
 * manager, a partition of it. Null = claimed.
 */
async function openExclusively(path: string, readOnly: boolean): Promise<FileHandle | null> {
  const access = readOnly ? constants.O_RDONLY : constants.O_RDWR;
  try {
    return await open(path, access | constants.O_EXCL);
  } catch (error) {
    if (errorCode(error) === 'EBUSY') return null;
    throw error;
  }
}

/** Closes `file`, so that the programs that look for signatures may open the device. */
async function contentOf(
  path: string,
  file: FileHandle,
  sizeBytes: number,
): Promise<Pick<BlockInspection, 'signatures' | 'hasData'>> {
  let hasData = true;
  let stores: readonly string[] = [];
  try {
    hasData =
      (await hasBytes(file, 0, sizeBytes)) || (await hasBytes(file, sizeBytes - edgeBytes, sizeBytes));
    if (hasData && (await storePages(file, sizeBytes)).length > 0) stores = ['a block store'];
  } finally {
    await file.close();
  }
  return { hasData, signatures: hasData ? [...stores, ...(await readSignatures(path))] : [] };
}

async function hasBytes(file: FileHandle, start: number, sizeBytes: number): Promise<boolean> {
  const from = Math.max(0, start);
  const buffer = Buffer.alloc(Math.min(edgeBytes, sizeBytes - from));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.some((byte) => byte !== 0);
}

const storeMark = Buffer.from('SRBLOCKS', 'latin1');

/** Where the superblocks of a block store of this product stand; none when there is no store. */
async function storePages(file: FileHandle, sizeBytes: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (const position of [0, lastPage(sizeBytes)]) {
    const mark = Buffer.alloc(storeMark.length);
    const { bytesRead } = await file.read(mark, 0, mark.length, Math.max(0, position));
    if (bytesRead === mark.length && mark.equals(storeMark)) found.push(position);
  }
  return found;
}

async function wipeStore(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_EXCL);
  try {
    for (const position of await storePages(file, sizeBytes)) {
      await file.write(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, position);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** What `blkid` recognises by looking at the device itself. Where it is not installed nothing is recognised. */
async function readSignatures(path: string): Promise<readonly string[]> {
  const found = 0;
  const nothing = 2;
  const ambiguous = 8;
  try {
    const { code, stdout } = await runProcess({
      program: 'blkid',
      args: ['--probe', '--output', 'export', path],
      expected: [found, nothing, ambiguous],
      timeoutMs: probeTimeoutMs,
    });
    if (code === ambiguous) return ['several signatures'];
    const values = new Map(
      stdout.split('\n').map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')]),
    );
    const table = values.get('PTTYPE');
    const names = [values.get('TYPE'), table === undefined ? undefined : `${table} partition table`];
    return names
      .filter((name) => name !== undefined && name !== '')
      .map((name) => String(name).slice(0, 100));
  } catch (error) {
    if (error instanceof ProcessError && error.reason === 'missing') return [];
    throw new DeviceError('permanent', `${path}: nothing could tell what lies on it.`, { cause: error });
  }
}

/**
 * Removes all signatures, so that nothing takes the device for what it was. The programs of the system open it exclusively
 * too, so a device that was mounted meanwhile is left alone (`busy`).
 */
export async function wipeSignatures(path: string, sizeBytes: number): Promise<void> {
  try {
    await runProcess({
      program: 'wipefs',
      args: ['--all', '--quiet', path],
      expected: [0],
      timeoutMs: probeTimeoutMs,
    });
    await wipeStore(path, sizeBytes);
  } catch (error) {
    const kind = error instanceof ProcessError && error.reason === 'failed' ? 'busy' : 'permanent';
    throw new DeviceError(kind, `${path}: what lies on it could not be removed.`, { cause: error });
  }
}

/** Whether two paths are, or lie on, the same bytes: one device under two names, or a disk and its partition. */
export async function shareBytes(left: string, right: string): Promise<boolean> {
  const [one, other] = await Promise.all([identify(left), identify(right)]);
  if (one === null || other === null) return left === right;
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** Null when it is not there now. */
async function identify(path: string): Promise<string | null> {
  if (!(await isAnswering(path, patientAnswerMs))) return null;
  try {
    const facts = await stat(path);
    if (!facts.isBlockDevice()) return `file ${facts.dev}:${facts.ino}`;
    const number = deviceText(facts.rdev);
    return (await sysFolder(number)) ?? `device ${number}`;
  } catch {
    // Not there, or not to be looked at: then only its name can be compared.
    return null;
  }
}

/** The size of what stands at `path` now, in bytes; null when it is gone or of another kind than `kind`. */
export async function blockDeviceSize(path: string, kind: 'block' | 'file'): Promise<number | null> {
  if (!(await isAnswering(path))) return null;
  try {
    const facts = await stat(path);
    if (kind === 'file') return facts.isFile() ? facts.size : null;
    if (!facts.isBlockDevice()) return null;
    const size = (await deviceFacts(deviceText(facts.rdev)))?.sizeBytes ?? 0;
    // A device without bytes is an empty reader or a loop device that was taken down.
    return size > 0 ? size : null;
  } catch {
    // Whatever the reason is, the device cannot be used, and callers say so.
    return null;
  }
}
