import { mkdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createLinuxScsiDriver, type LibraryDriver } from '../../backend/engine/index.ts';
import type { SgCalls } from '../../backend/engine/scsi/sg/sg-calls.ts';
import { senseBytes } from '../../backend/engine/scsi/virtual/answers.ts';
import { noFaults } from '../../backend/engine/scsi/virtual/library-state.ts';
import {
  makeVirtualLibrary,
  openVirtualLibrary,
  type VirtualLibrary,
} from '../../backend/engine/scsi/virtual/virtual-library.ts';
import { makeTempDir } from './temp-dir.ts';

/** One SG_IO as the kernel got it. */
export interface SgCommand {
  readonly node: string;
  /** The 88 bytes before the kernel wrote into them, addresses struck out. */
  readonly header: string;
  readonly cdb: string;
}

export interface SgLibrary {
  readonly driver: LibraryDriver;
  readonly devRoot: string;
  readonly library: VirtualLibrary;
  readonly commands: readonly SgCommand[];
  /** What the call gives back in place of an answer, once; null: as usual. */
  failNext(code: string): void;
  /** Nodes to which the kernel lets nobody send anything (EPERM); empty: none. */
  readonly forbidden: Set<string>;
  /** Node and operation code, as `sg0 00`: the bus is reset in place of the next such command. */
  readonly resets: Set<string>;
  close(): Promise<void>;
}

/**
 * A host with the nodes of SCSI generic: a sysfs with one robot (`sg2`) and its drives (`sg0`, `sg1`) beside a disk (`sg3`), plain files for
 * the nodes, and a kernel that reads and writes `struct sg_io_hdr` and the memory behind it. The units are those of a virtual library.
 */
export async function startSgLibrary(
  options: { readonly barcodes?: readonly string[]; readonly cartridgeBytes?: number } = {},
): Promise<SgLibrary> {
  const folder = await makeTempDir('sg-library');
  const sysRoot = join(folder.path, 'sys');
  const devRoot = join(folder.path, 'dev');
  await mkdir(devRoot);
  const units = [
    { node: 'sg0', type: 1, lun: 1, serial: 'SGLABD1' },
    { node: 'sg1', type: 1, lun: 2, serial: 'SGLABD2' },
    { node: 'sg2', type: 8, lun: 0, serial: 'SGLAB' },
    { node: 'sg3', type: 0, lun: 3, serial: 'DISK' },
  ];
  for (const { node, type, lun, serial } of units) {
    const device = join(sysRoot, 'devices', `4:0:0:${lun}`);
    await mkdir(device, { recursive: true });
    await writeFile(join(device, 'type'), `${type}\n`);
    await writeFile(join(device, 'vendor'), 'STRONGRM\n');
    await writeFile(join(device, 'model'), type === 8 ? 'VIRTUAL ROBOT   \n' : 'VIRTUAL LTO-8   \n');
    const text = Buffer.from(serial, 'latin1');
    await writeFile(
      join(device, 'vpd_pg80'),
      Buffer.concat([Buffer.from([type, 0x80, 0, text.length]), text]),
    );
    await mkdir(join(sysRoot, 'class/scsi_generic', node), { recursive: true });
    await symlink(device, join(sysRoot, 'class/scsi_generic', node, 'device'));
    await writeFile(join(devRoot, node), '');
  }
  const home = join(folder.path, 'library', 'rack');
  const layout = {
    slots: 4,
    drives: 2,
    mailSlots: 1,
    cartridgeBytes: options.cartridgeBytes ?? 8 * 1_048_576,
  };
  await mkdir(join(folder.path, 'library'));
  await makeVirtualLibrary(
    home,
    { ...layout, serial: 'SGLAB', faults: noFaults },
    options.barcodes ?? ['SR0001L8', 'SR0002L8'],
  );
  const library = await openVirtualLibrary(home);
  // The host as a whole is one user of the units, however often a node is opened.
  const target = library.connect();
  const memory = new Map<bigint, Uint8Array>();
  const commands: SgCommand[] = [];
  let next = 0x7f00_0000_0000n;
  let failure: string | null = null;
  const forbidden = new Set<string>();
  const resets = new Set<string>();

  const calls: SgCalls = {
    address: (buffer) => {
      next += 0x1_0000_0000n;
      memory.set(next, buffer);
      return next;
    },
    run: async (fd, header) => {
      const node = basename(await readlink(`/proc/self/fd/${fd}`));
      if (failure !== null || forbidden.has(node)) {
        const code = failure ?? 'EPERM';
        failure = null;
        throw Object.assign(new Error(code), { code, errno: 1, syscall: 'ioctl' });
      }
      const at = (offset: number): Uint8Array => {
        const address = header.readBigUInt64LE(offset);
        const found = memory.get(address);
        memory.delete(address);
        if (found === undefined) throw new Error(`nothing lies at ${address}`);
        return found;
      };
      const told = Buffer.from(header);
      for (const offset of [16, 24, 32])
        if (told.readBigUInt64LE(offset) !== 0n) told.fill(0xaa, offset, offset + 8);
      const cdb = Buffer.from(at(24).subarray(0, header.readUInt8(8)));
      const sense = at(32);
      if (resets.delete(`${node} ${cdb.toString('hex', 0, 1)}`)) {
        header.writeUInt16LE(8, 68);
        return;
      }
      commands.push({ node, header: told.toString('hex'), cdb: cdb.toString('hex') });
      const bytes = header.readUInt32LE(12);
      const direction = header.readInt32LE(4);
      const data = bytes === 0 ? new Uint8Array(0) : at(16).subarray(0, bytes);
      const lun = units.find((unit) => unit.node === node)?.lun ?? -1;
      const result = await target.execute({
        lun,
        cdb,
        timeoutMs: header.readUInt32LE(40),
        ...(direction === -3 ? { dataIn: bytes } : {}),
        ...(direction === -2 ? { dataOut: data } : {}),
      });
      if (direction === -3) data.set(result.data);
      header.writeUInt8(result.status, 64);
      header.writeInt32LE(direction === -3 ? bytes - result.data.length : 0, 72);
      if (result.sense === null) return;
      const { key, asc, ascq, filemark, endOfMedium, incorrectLength, information } = result.sense;
      const more = information === null ? {} : { information };
      const raw = senseBytes([key, asc, ascq], { filemark, endOfMedium, incorrectLength, ...more });
      sense.set(raw);
      header.writeUInt8(raw.length, 67);
      // DRIVER_SENSE, as the kernel has it.
      header.writeUInt16LE(8, 70);
    },
  };

  return {
    driver: createLinuxScsiDriver({ sysRoot, devRoot, calls }),
    devRoot,
    library,
    commands,
    forbidden,
    resets,
    failNext: (code) => {
      failure = code;
    },
    close: async () => {
      await target.close();
      await library.close();
      await folder.remove();
    },
  };
}
