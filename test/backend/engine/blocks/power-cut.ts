import {
  type BlockDeviceFile,
  openBlockDeviceFile,
} from '../../../../backend/engine/blocks/block-device-file.ts';

export class PowerCut extends Error {}

const SECTOR_BYTES = 512;

/**
 * A device whose power fails at its `cutAt`th write or sync, counted from 1. Of what was not synchronised, each sector is there or
 * not, as `pick` says: disks write in any order and tear writes between sectors.
 */
export function cutDevice(
  path: string,
  cutAt: number,
  pick: (below: number) => number,
): BlockDeviceFile & { readonly calls: () => number } {
  const real = openBlockDeviceFile(path, 'write');
  /** What lay there before the writes that are not durable yet, the first one first. */
  let open: { readonly position: number; readonly before: Buffer; readonly after: Buffer }[] = [];
  let calls = 0;
  let isOff = false;
  let isClosed = false;

  const step = (): void => {
    if (isOff) throw new PowerCut('no power');
    calls += 1;
    if (calls !== cutAt) return;
    isOff = true;
    loseSome();
    throw new PowerCut('no power');
  };
  /** Goes back to what was durable, then writes again what chance let through. */
  const loseSome = (): void => {
    for (const { position, before } of open.toReversed()) real.write(before, position);
    const most = pick(4) * 3;
    for (const { position, after } of open) {
      for (let at = 0; at < after.length; ) {
        const end = Math.min(
          after.length,
          (Math.floor((position + at) / SECTOR_BYTES) + 1) * SECTOR_BYTES - position,
        );
        if (pick(10) < most) real.write(after.subarray(at, end), position + at);
        at = end;
      }
    }
  };

  return {
    path,
    calls: () => calls,
    read: (into, position) => {
      if (isOff) throw new PowerCut('no power');
      real.read(into, position);
    },
    write: (bytes, position) => {
      const before = Buffer.alloc(bytes.length);
      real.read(before, position);
      // What the write brings takes part in the loss when the power fails in the middle of it.
      open.push({ position, before, after: Buffer.from(bytes) });
      step();
      real.write(bytes, position);
    },
    sync: () => {
      step();
      real.sync();
      open = [];
    },
    close: () => {
      if (!isClosed) real.close();
      isClosed = true;
    },
  };
}
