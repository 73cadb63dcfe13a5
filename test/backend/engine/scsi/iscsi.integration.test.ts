import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createIscsiTransport,
  discoverTargets,
  type IscsiOptions,
  type IscsiPortal,
} from '../../../../backend/engine/scsi/iscsi/initiator.ts';
import type { ScsiResult, ScsiTransport } from '../../../../backend/engine/scsi/transport.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../../lab/tape/tape-library.ts';

const options: IscsiOptions = {
  initiatorName: 'iqn.2026-11.example.test:initiator',
  times: { abortMs: 500, silenceMs: 30_000, logoutMs: 2_000 },
};
const portalOf = (lab: TapeLibraryLab, credentials: IscsiPortal['credentials'] = null): IscsiPortal => ({
  address: lab.address,
  port: lab.port,
  credentials,
});
const open: ScsiTransport[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});
const connect = (lab: TapeLibraryLab, credentials: IscsiPortal['credentials'] = null): ScsiTransport => {
  const transport = createIscsiTransport(portalOf(lab, credentials), lab.iqn, options);
  open.push(transport);
  return transport;
};

const timeoutMs = 20_000;
const ready = (transport: ScsiTransport, lun: number): Promise<ScsiResult> =>
  transport.execute({ lun, cdb: new Uint8Array(6), timeoutMs });
const rewind = (transport: ScsiTransport) =>
  transport.execute({ lun: 1, cdb: Uint8Array.of(0x01, 0, 0, 0, 0, 0), timeoutMs });
const lengthOf = (bytes: number): readonly number[] => [bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff];
const write = (transport: ScsiTransport, block: Uint8Array) =>
  transport.execute({
    lun: 1,
    cdb: Uint8Array.of(0x0a, 0, ...lengthOf(block.length), 0),
    dataOut: block,
    timeoutMs,
  });
const read = (transport: ScsiTransport, bytes: number, lun = 1) =>
  transport.execute({ lun, cdb: Uint8Array.of(0x08, 0, ...lengthOf(bytes), 0), dataIn: bytes, timeoutMs });
/** Brings the first cartridge to the first drive. */
const mount = async (transport: ScsiTransport, lab: TapeLibraryLab): Promise<void> => {
  for (const lun of [1, lab.changerLun]) await ready(transport, lun);
  const cdb = Uint8Array.of(0xa5, 0, 0, 16, 4, 0, 0, 1, 0, 0, 0, 0);
  expect(await transport.execute({ lun: lab.changerLun, cdb, timeoutMs })).toMatchObject({ status: 0 });
  const mode = Uint8Array.of(0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 0, 0);
  const select = Uint8Array.of(0x15, 0x10, 0, 0, mode.length, 0);
  expect(await transport.execute({ lun: 1, cdb: select, dataOut: mode, timeoutMs })).toMatchObject({
    status: 0,
  });
};

describe.each([
  { title: 'of 8 KiB pieces on request', transfer: {} },
  { title: 'of big pieces, the first without request', transfer: { transfer: 'big' as const } },
  { title: 'of 8 KiB pieces, the first without request', transfer: { transfer: 'unasked' as const } },
])('a target $title', ({ transfer }) => {
  let lab: TapeLibraryLab;
  beforeAll(async () => {
    lab = await startTapeLibrary(transfer);
  });
  afterAll(() => lab?.stop());

  it('is discovered, logged in to, and says what it is', async () => {
    const targets = await discoverTargets(portalOf(lab), options);
    expect(targets).toEqual([{ name: lab.iqn, addresses: [`127.0.0.1:${lab.port},1`] }]);
    const transport = connect(lab);
    const cdb = Uint8Array.of(0x12, 0, 0, 0, 96, 0);
    const result = await transport.execute({ lun: lab.changerLun, cdb, dataIn: 96, timeoutMs });
    expect(result).toMatchObject({ status: 0, sense: null });
    expect(result.data[0]).toBe(0x08);
    expect(result.data.toString('latin1', 8, 32)).toBe('LAB     TAPE-LIBRARY    ');
    expect(result.residual).toBe(96 - result.data.length);
  });

  it('gives the reason of a failure as sense data', async () => {
    const transport = connect(lab);
    // The first command of every session is refused with "reset".
    expect((await ready(transport, 2)).sense).toMatchObject({ key: 6, asc: 0x29 });
    expect(await ready(transport, 2)).toMatchObject({ status: 2, sense: { key: 2, asc: 0x3a, ascq: 0 } });
    expect((await ready(transport, 200)).sense).toMatchObject({ key: 5, asc: 0x25 });
  });

  it('gets a command of an open session at once, not after whatever else its thread does now', async () => {
    const transport = connect(lab);
    await ready(transport, 1);
    const written = vi.spyOn(net.Socket.prototype, 'write');
    try {
      const answered = ready(transport, 1);
      expect(written).toHaveBeenCalledTimes(1);
      await answered;
    } finally {
      written.mockRestore();
    }
  });

  it('keeps blocks of every size', async () => {
    const transport = connect(lab);
    await mount(transport, lab);
    await rewind(transport);
    const sizes = [1, 511, 8191, 8192, 8193, 65_536, 65_537, 262_144, 1_048_576, 3_000_001];
    const blocks = sizes.map((size) => randomBytes(size));
    for (const block of blocks)
      expect(await write(transport, block)).toMatchObject({ status: 0, residual: 0 });
    const flush = await transport.execute({ lun: 1, cdb: Uint8Array.of(0x10, 0, 0, 0, 1, 0), timeoutMs });
    expect(flush.status).toBe(0);
    await rewind(transport);
    for (const block of blocks) {
      const { status, data } = await read(transport, block.length);
      expect(status).toBe(0);
      expect(data.equals(block)).toBe(true);
    }
    const mark = await read(transport, 512);
    expect(mark.sense).toMatchObject({ key: 0, filemark: true, information: 512 });
  });
});

describe('a target with CHAP', () => {
  let lab: TapeLibraryLab;
  const right = { user: 'backup', password: 'a-long-secret' };
  beforeAll(async () => {
    lab = await startTapeLibrary({ chap: right });
  });
  afterAll(() => lab?.stop());

  it('lets in who knows user and password', async () => {
    expect((await ready(connect(lab, right), 1)).sense).toMatchObject({ key: 6 });
  });

  it.each([
    ['without any', null, 'asks for a user and password'],
    ['with a wrong password', { ...right, password: 'another-secret' }, 'check the user and the password'],
    ['with a wrong user', { ...right, user: 'nobody' }, 'check the user and the password'],
  ])('refuses whoever comes %s, and no secret is told', async (_who, credentials, words) => {
    const error = await ready(connect(lab, credentials), 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'permission', message: expect.stringContaining(words) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });

  it('does not exist under another name', async () => {
    const other = createIscsiTransport(portalOf(lab, right), `${lab.iqn}-other`, options);
    await expect(ready(other, 1)).rejects.toMatchObject({ kind: 'notFound' });
    await other.close();
  });
});

describe('a target in trouble', () => {
  let lab: TapeLibraryLab;
  beforeAll(async () => {
    lab = await startTapeLibrary();
  });
  afterAll(() => lab?.stop());

  it('that stands still fails the command in time; after it goes on the session is a new one', async () => {
    const transport = connect(lab);
    await ready(transport, 1);
    lab.freeze();
    const began = performance.now();
    const hung = transport.execute({ lun: 1, cdb: new Uint8Array(6), timeoutMs: 300 });
    await expect(hung).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('0.3 s'),
    });
    expect(performance.now() - began).toBeLessThan(5000);
    lab.thaw();
    expect((await ready(transport, 1)).sense).toMatchObject({ key: 6, asc: 0x29 });
  });

  it('that cuts connections is logged in to again', async () => {
    const transport = connect(lab);
    await ready(transport, 1);
    expect(await lab.cutConnections()).toBeGreaterThan(0);
    const results: (number | string)[] = [];
    // Whether the cut is seen before or at the next command, the one after works.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      results.push(
        await ready(transport, 1).then(
          ({ status }) => status,
          (error: { kind: string }) => error.kind,
        ),
      );
    }
    expect(results.at(-1)).toBe(2);
  });

  it('that dies in the middle of a write fails it; what was acknowledged is there after its return', async () => {
    const transport = connect(lab);
    await mount(transport, lab);
    await rewind(transport);
    const blocks = Array.from({ length: 200 }, (_, index) => Buffer.alloc(100_000, index + 1));
    let written = 0;
    let dying: Promise<void> | null = null;
    const failure = await (async () => {
      for (const block of blocks) {
        if (written === 20) dying = lab.kill();
        await write(transport, block);
        written += 1;
      }
    })().catch((error: unknown) => error);
    await dying;
    expect(failure).toMatchObject({ kind: 'transient' });
    expect(written).toBeGreaterThanOrEqual(20);
    await expect(ready(transport, 1)).rejects.toMatchObject({ kind: 'transient' });
    await lab.restart();
    await mount(transport, lab);
    await rewind(transport);
    for (const block of blocks.slice(0, written)) {
      expect((await read(transport, block.length)).data.equals(block)).toBe(true);
    }
  });
});
