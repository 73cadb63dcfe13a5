import { randomBytes } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../../platform/files.ts';
import { createInTurn } from '../../../platform/in-turn.ts';
import { errorCode } from '../../../platform/native.ts';
import type { FoundDevices, LibraryDriver } from '../../device.ts';
import { DeviceError, toDeviceError } from '../../device-error.ts';
import { joinedDevices, type OpenUnit, openUnit, scanTarget, unitOpeners } from '../target.ts';
import {
  isLibraryName,
  type LibraryFaults,
  type LibraryLayout,
  type LibraryState,
  noFaults,
} from './library-state.ts';
import { makeVirtualLibrary, openVirtualLibrary, type VirtualLibrary } from './virtual-library.ts';

/** What is asked of the simulated libraries of one folder by name; robots and drives are reached through `driver`. */
export interface VirtualLibraries {
  /** Opens `virtual://name/lun`; unit 0 is the robot, the others are the drives. */
  readonly driver: LibraryDriver;
  /** `permanent` when the name is taken by a library or by what is left of one. */
  create(name: string, layout: LibraryLayout, barcodes: readonly string[]): Promise<void>;
  /** `notFound` when there is none. */
  state(name: string): Promise<LibraryState>;
  setFaults(name: string, faults: LibraryFaults): Promise<void>;
  setCartridges(name: string, barcodes: readonly string[]): Promise<void>;
  /** With all its cartridges. Nothing is done when there is none. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

interface VirtualPath {
  readonly name: string;
  readonly lun: number;
}

export function formatVirtualPath({ name, lun }: VirtualPath): string {
  return `virtual://${name}/${lun}`;
}

/** Null when the text is no such path. */
export function parseVirtualPath(text: string): VirtualPath | null {
  const found = /^virtual:\/\/([^/]+)\/(\d{1,3})$/.exec(text);
  const name = found?.[1] ?? '';
  return found && isLibraryName(name) ? { name, lun: Number(found[2]) } : null;
}

const removedPrefix = '.removed-';
const makingPrefix = '.making-';

/** `root`: the folder that holds a folder for each library; made when the first one is. */
export function createVirtualLibraries(
  root: string,
  options: { readonly onLeftOut?: (where: string, error: unknown) => void } = {},
): VirtualLibraries {
  const opened = new Map<string, VirtualLibrary>();
  const inTurn = createInTurn();
  const folderOf = (name: string): string => join(root, name);

  const library = (name: string): Promise<VirtualLibrary> =>
    inTurn(name, async () => {
      const known = opened.get(name);
      if (known) return known;
      const found = await openVirtualLibrary(folderOf(name));
      opened.set(name, found);
      return found;
    });
  const namesIn = async (): Promise<readonly string[]> => {
    try {
      return (await readdir(root)).sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw toDeviceError(error, `The folder of virtual libraries ${root} cannot be read`);
    }
  };
  /** What a process that was killed has left half made or half removed. */
  const sweep = async (): Promise<void> => {
    for (const name of await namesIn()) {
      const isLeftOver = name.startsWith(removedPrefix) || name.startsWith(makingPrefix);
      if (isLeftOver) await rm(join(root, name), { recursive: true, force: true });
    }
  };
  const open = async (text: string, type: number, signal: AbortSignal): Promise<OpenUnit> => {
    const path = parseVirtualPath(text);
    if (path === null) throw new DeviceError('notFound', `${text} is no virtual library.`);
    const transport = (await library(path.name)).connect();
    return openUnit(transport, { lun: path.lun, path: text, type }, signal);
  };
  const scanOne = async (name: string, signal: AbortSignal): Promise<FoundDevices> => {
    const transport = (await library(name)).connect();
    try {
      return await scanTarget(transport, (lun) => formatVirtualPath({ name, lun }), signal);
    } finally {
      await transport.close();
    }
  };

  const driver: LibraryDriver = {
    kind: 'virtual',
    owns: (path) => parseVirtualPath(path) !== null,
    isThere: async (text) => {
      const path = parseVirtualPath(text);
      if (path === null) return false;
      try {
        await access(join(folderOf(path.name), 'library.json'));
        return true;
      } catch {
        // Gone or not readable: either way it cannot be used now.
        return false;
      }
    },
    scan: async (signal) => {
      const all: FoundDevices[] = [];
      for (const name of (await namesIn()).filter(isLibraryName)) {
        signal.throwIfAborted();
        try {
          all.push(await scanOne(name, signal));
        } catch (error) {
          signal.throwIfAborted();
          options.onLeftOut?.(folderOf(name), error);
        }
      }
      return joinedDevices(all);
    },
    ...unitOpeners(open),
  };

  return {
    driver,
    create: (name, layout, barcodes) =>
      inTurn('.create', async () => {
        try {
          await mkdir(root, { recursive: true, mode: 0o700 });
          await sweep();
        } catch (error) {
          throw toDeviceError(error, `The folder of virtual libraries ${root} cannot be made`);
        }
        if ((await namesIn()).includes(name)) {
          throw new DeviceError(
            'permanent',
            `${folderOf(name)} is there already; choose another name, or move that folder away.`,
          );
        }
        const serial = randomBytes(5).toString('hex').toUpperCase();
        await makeVirtualLibrary(folderOf(name), { ...layout, serial, faults: noFaults }, barcodes);
      }),
    state: async (name) => (await library(name)).state,
    setFaults: async (name, faults) => (await library(name)).setFaults(faults),
    setCartridges: async (name, barcodes) => (await library(name)).setCartridges(barcodes),
    remove: (name) =>
      inTurn(name, async () => {
        await opened.get(name)?.close();
        opened.delete(name);
        const doomed = join(root, `${removedPrefix}${name}-${randomBytes(4).toString('hex')}`);
        try {
          // It loses its name first, so that a removal that is cut off leaves no half library that looks whole.
          await rename(folderOf(name), doomed);
          await syncDirectory(root);
          await rm(doomed, { recursive: true, force: true });
        } catch (error) {
          if (errorCode(error) !== 'ENOENT') {
            throw toDeviceError(error, `The virtual library in ${folderOf(name)} cannot be removed`);
          }
        }
      }),
    close: async () => {
      for (const [name, one] of [...opened]) {
        await inTurn(name, () => one.close());
        opened.delete(name);
      }
    },
  };
}
