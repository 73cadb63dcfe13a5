import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSgCalls, type SgCalls } from '../../../../backend/engine/scsi/sg/sg-calls.ts';
import { packSgHeader, sgHeaderBytes, unpackSgHeader } from '../../../../backend/engine/scsi/sg/sg-io.ts';
import { openSgTransport } from '../../../../backend/engine/scsi/sg/sg-transport.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const run = promisify(execFile);
let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('sg');
});
afterEach(() => folder.remove());

/** What the C compiler makes of <scsi/sg.h>, as bytes in hexadecimal. */
const compiled = async (assignments: string): Promise<string> => {
  const source = join(folder.path, 'header.c');
  const program = join(folder.path, 'header');
  await writeFile(
    source,
    `#include <scsi/sg.h>
     #include <stdio.h>
     #include <string.h>
     int main(void) {
       struct sg_io_hdr h;
       memset(&h, 0, sizeof h);
       ${assignments}
       for (unsigned i = 0; i < sizeof h; i++) printf("%02x", ((unsigned char *)&h)[i]);
       return SG_IO == 0x2285 ? 0 : 1;
     }`,
  );
  await run('gcc', ['-o', program, source]);
  return (await run(program)).stdout;
};

describe('the header of SG_IO', () => {
  it.each([
    ['in', 'SG_DXFER_FROM_DEV'],
    ['out', 'SG_DXFER_TO_DEV'],
    ['none', 'SG_DXFER_NONE'],
  ] as const)('is byte for byte what C makes of it (%s)', async (direction, word) => {
    const packed = packSgHeader({
      direction,
      cdbLength: 12,
      dataLength: 0x0102_0304,
      cdbAddress: 0x1122_3344_5566_7788n,
      senseAddress: 0x7fff_0000_1234_5678n,
      dataAddress: 0xdead_beefn,
      timeoutMs: 1_800_000,
    });
    const expected = await compiled(`
      h.interface_id = 'S'; h.dxfer_direction = ${word}; h.cmd_len = 12; h.mx_sb_len = 96;
      h.dxfer_len = 0x01020304; h.dxferp = (void *)0xdeadbeef; h.cmdp = (void *)0x1122334455667788;
      h.sbp = (void *)0x7fff000012345678; h.timeout = 1800000;`);
    expect(packed.toString('hex')).toBe(expected);
    expect(packed.length).toBe(sgHeaderBytes);
  });

  it('is read as C has written it', async () => {
    const bytes = await compiled(`
      h.status = 2; h.sb_len_wr = 18; h.host_status = 0x0103; h.driver_status = 0x0208; h.resid = -5;`);
    expect(unpackSgHeader(Buffer.from(bytes, 'hex'))).toEqual({
      status: 2,
      senseWritten: 18,
      hostStatus: 0x0103,
      driverStatus: 0x0208,
      residual: -5,
    });
  });
});

describe('a device of SCSI generic', () => {
  it('that is none is refused by the kernel itself, which the call reaches', async () => {
    const transport = await openSgTransport('/dev/null');
    const command = { lun: 0, cdb: new Uint8Array(6), timeoutMs: 1000 };
    await expect(transport.execute(command)).rejects.toMatchObject({
      kind: 'permanent',
      message: expect.stringContaining('ENOTTY'),
    });
    await transport.close();
    await expect(transport.execute(command)).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(openSgTransport(join(folder.path, 'sg9'))).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('gets addresses that follow the bytes of a buffer', async () => {
    const whole = Buffer.alloc(64);
    const { address } = loadSgCalls();
    expect(address(whole.subarray(16)) - address(whole)).toBe(16n);
  });

  const scripted = (fill: (header: Buffer) => void): SgCalls & { readonly headers: Buffer[] } => {
    const headers: Buffer[] = [];
    return {
      headers,
      address: () => 1n,
      run: async (_fd, header) => {
        headers.push(header);
        fill(header);
      },
    };
  };

  it('answers with status, data and what is left of them', async () => {
    const calls = scripted((header) => {
      header.writeUInt8(2, 64);
      header.writeInt32LE(60, 72);
    });
    const transport = await openSgTransport('/dev/null', calls);
    const cdb = Uint8Array.of(0x12, 0, 0, 0, 96, 0);
    const result = await transport.execute({ lun: 0, cdb, dataIn: 96, timeoutMs: 1000 });
    expect(result).toMatchObject({ status: 2, sense: null, residual: 60 });
    expect(result.data.length).toBe(36);
    expect(calls.headers[0]?.readInt32LE(4)).toBe(-3);
    await transport.close();
  });

  it.each([
    [0x01, 'notFound'],
    [0x03, 'transient'],
    [0x07, 'transient'],
  ])('behind a host adapter that reports %i is a failure of the kind %s', async (hostStatus, kind) => {
    const transport = await openSgTransport(
      '/dev/null',
      scripted((header) => void header.writeUInt16LE(hostStatus, 68)),
    );
    await expect(
      transport.execute({ lun: 0, cdb: new Uint8Array(6), timeoutMs: 1000 }),
    ).rejects.toMatchObject({ kind });
    await transport.close();
  });

  it('is left at once when it is cancelled; the next command waits for the end of the one before', async () => {
    const ends: (() => void)[] = [];
    const calls: SgCalls = {
      address: () => 1n,
      run: () => new Promise((resolve) => ends.push(resolve)),
    };
    const transport = await openSgTransport('/dev/null', calls);
    const cancel = new AbortController();
    const command = { lun: 0, cdb: new Uint8Array(6), timeoutMs: 1000 };
    const first = transport.execute({ ...command, signal: cancel.signal });
    await expect.poll(() => ends.length).toBe(1);
    cancel.abort();
    await expect(first).rejects.toMatchObject({ kind: 'cancelled' });
    const second = transport.execute(command);
    await Promise.resolve();
    expect(ends.length).toBe(1);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    expect(await second).toMatchObject({ status: 0 });
    await transport.close();
  });
});
