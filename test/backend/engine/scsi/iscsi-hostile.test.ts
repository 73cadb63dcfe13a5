import { once } from 'node:events';
import net from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceError } from '../../../../backend/engine/index.ts';
import {
  createIscsiTransport,
  discoverTargets,
  type IscsiOptions,
} from '../../../../backend/engine/scsi/iscsi/initiator.ts';
import { encodeText } from '../../../../backend/engine/scsi/iscsi/text.ts';
import type { ScsiCommand, ScsiTransport } from '../../../../backend/engine/scsi/transport.ts';
import { type Script, type ScriptedTarget, startScriptedTarget } from './scripted-target.ts';

const iqn = 'iqn.2026-11.example.lab:hostile';
const options: IscsiOptions = {
  initiatorName: 'iqn.2026-11.example.test:initiator',
  loginMs: 400,
  times: { abortMs: 200, silenceMs: 10_000, logoutMs: 200 },
};
const testUnitReady: ScsiCommand = { lun: 3, cdb: new Uint8Array(6), timeoutMs: 300 };
const inquiry: ScsiCommand = { lun: 0, cdb: Uint8Array.of(0x12, 0, 0, 0, 64, 0), dataIn: 64, timeoutMs: 300 };
const write: ScsiCommand = {
  lun: 0,
  cdb: Uint8Array.of(0x0a, 0, 0, 0, 100, 0),
  dataOut: new Uint8Array(100),
  timeoutMs: 300,
};

let target: ScriptedTarget | null = null;
let transport: ScsiTransport | null = null;
afterEach(async () => {
  await transport?.close();
  await target?.stop();
  target = null;
  transport = null;
});
const begin = async (script?: Script, more: Partial<IscsiOptions> = {}): Promise<ScsiTransport> => {
  target = await startScriptedTarget(script);
  const portal = { address: '127.0.0.1', port: target.port, credentials: null };
  transport = createIscsiTransport(portal, iqn, { ...options, ...more });
  return transport;
};
/** Of every failure: it comes soon, is a `DeviceError`, and names the portal. */
const failureOf = async (work: Promise<unknown>): Promise<DeviceError> => {
  const began = performance.now();
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(performance.now() - began).toBeLessThan(3000);
  if (!(error instanceof DeviceError)) throw new Error(`not a DeviceError: ${String(error)}`);
  expect(error.message).toMatch(/^127\.0\.0\.1:\d+/);
  return error;
};

const garbage = Buffer.from(`HTTP/1.1 400 Bad Request\r\n\r\n${'x'.repeat(100)}`);
const atCommand =
  (work: Script): Script =>
  (pdu, answer, connection) =>
    pdu.opcode === 0x01 ? work(pdu, answer, connection) : false;
const cutsOff: Script = (_pdu, answer) => {
  answer.cut();
  return true;
};
const saysRaw =
  (bytes: Buffer): Script =>
  (_pdu, answer) => {
    answer.raw(bytes);
    return true;
  };
const says =
  (header: Readonly<Record<number, number>>, data?: Buffer): Script =>
  (_pdu, answer) => {
    answer.pdu(header, data);
    return true;
  };
/** As a target should answer a login, but with this text. */
const agreesWith =
  (text: Buffer): Script =>
  (pdu, answer) => {
    answer.pdu({ 0: 0x23, 1: pdu.header.readUInt8(1) }, text);
    return true;
  };

describe('a target that at the login', () => {
  const cases: readonly (readonly [string, string, Script])[] = [
    ['stays silent', 'transient', () => true],
    ['cuts off', 'transient', cutsOff],
    ['sends something else', 'corrupt', saysRaw(garbage)],
    ['sends half a header', 'transient', saysRaw(Buffer.alloc(20, 0x23))],
    ['tells of more data than allowed', 'corrupt', says({ 0: 0x23, 1: 0x81, 5: 0xff })],
    ['never lets us further', 'corrupt', says({ 0: 0x23, 1: 0 })],
    ['goes to another stage', 'corrupt', says({ 0: 0x23, 1: 0x87 })],
    ['answers with another type', 'corrupt', says({ 0: 0x21 })],
    ['sends its text without end', 'corrupt', says({ 0: 0x23, 1: 0x40 }, Buffer.alloc(8192, 'a=b\0'))],
    ['sends text that is none', 'corrupt', agreesWith(Buffer.from([1, 2, 3]))],
    [
      'chooses a digest that was not offered',
      'corrupt',
      agreesWith(encodeText([['HeaderDigest', 'CRC32C']])),
    ],
    ['names a length that is no number', 'corrupt', agreesWith(encodeText([['MaxBurstLength', '-1']]))],
    ['is elsewhere', 'permanent', says({ 0: 0x23, 36: 1, 37: 1 })],
    ['knows no such target', 'notFound', says({ 0: 0x23, 36: 2, 37: 3 })],
    ['lets nobody in', 'permission', says({ 0: 0x23, 36: 2, 37: 1 })],
    ['is overloaded', 'transient', says({ 0: 0x23, 36: 3, 37: 1 })],
  ];
  it.each(cases)('%s gives a clear failure in time', async (_what, kind, script) => {
    await begin(script);
    const portal = { address: '127.0.0.1', port: target?.port ?? 0, credentials: null };
    expect((await failureOf(transport?.execute(testUnitReady) ?? Promise.resolve())).kind).toBe(kind);
    expect((await failureOf(discoverTargets(portal, options))).kind).toBe(kind);
  });
});

describe('a target that at a command', () => {
  const cases: readonly (readonly [string, string, ScsiCommand, Script])[] = [
    ['stays silent, also at the abort', 'transient', testUnitReady, (pdu) => pdu.opcode !== 0x03],
    ['cuts off', 'transient', testUnitReady, atCommand(cutsOff)],
    ['sends something else', 'corrupt', inquiry, atCommand(saysRaw(garbage))],
    ['answers another command', 'corrupt', testUnitReady, atCommand(says({ 0: 0x21, 1: 0x80, 18: 0x77 }))],
    [
      'sends more data than asked for',
      'corrupt',
      inquiry,
      atCommand(says({ 0: 0x25, 1: 0x81 }, Buffer.alloc(100))),
    ],
    [
      'sends data to a place outside',
      'corrupt',
      inquiry,
      atCommand(says({ 0: 0x25, 1: 0x81, 40: 0xff }, Buffer.alloc(8))),
    ],
    [
      'leaves a gap in its data',
      'corrupt',
      inquiry,
      atCommand(says({ 0: 0x25, 1: 0x81, 43: 8 }, Buffer.alloc(8))),
    ],
    [
      'sends data at a command without',
      'corrupt',
      testUnitReady,
      atCommand(says({ 0: 0x25, 1: 0x81 }, Buffer.alloc(8))),
    ],
    [
      'asks for data that there are not',
      'corrupt',
      write,
      atCommand(says({ 0: 0x31, 1: 0x80, 43: 50, 47: 51 })),
    ],
    ['asks for no data at all', 'corrupt', write, atCommand(says({ 0: 0x31, 1: 0x80 }))],
    ['rejects it', 'corrupt', write, atCommand(says({ 0: 0x3f, 2: 9 }))],
    ['ends the connection by a message', 'transient', write, atCommand(says({ 0: 0x32, 36: 2 }))],
    ['fails itself', 'transient', testUnitReady, atCommand(says({ 0: 0x21, 1: 0x80, 2: 1 }))],
    ['sends a login answer', 'corrupt', testUnitReady, atCommand(says({ 0: 0x23 }))],
  ];
  it.each(cases)(
    '%s fails it in time, and the next one gets a new login',
    async (_what, kind, command, script) => {
      let commands = 0;
      await begin((pdu, answer, connection) => {
        if (pdu.opcode === 0x01) commands += 1;
        return connection === 1 && commands < 2 ? script(pdu, answer, connection) : false;
      });
      expect((await failureOf(transport?.execute(command) ?? Promise.resolve())).kind).toBe(kind);
      expect(await transport?.execute(testUnitReady)).toMatchObject({ status: 0 });
    },
  );
});

describe('a command that takes too long', () => {
  it('is aborted, and the session is used further', async () => {
    let commands = 0;
    const script = atCommand(() => {
      commands += 1;
      return commands === 1;
    });
    const used = await begin(script);
    const error = await failureOf(used.execute(testUnitReady));
    expect(error).toMatchObject({ kind: 'transient', message: expect.stringContaining('within 0.3 s') });
    expect(await used.execute(testUnitReady)).toMatchObject({ status: 0 });
    expect(target?.connections).toBe(1);
    const abort = target?.sent.find(({ opcode }) => opcode === 0x02);
    const command = target?.sent.find(({ opcode }) => opcode === 0x01);
    expect(abort?.header.subarray(20, 24)).toEqual(command?.header.subarray(16, 20));
  });

  it('that ends just then has its true end', async () => {
    let tag: Uint8Array = Buffer.alloc(4);
    const used = await begin((pdu, answer) => {
      if (pdu.opcode === 0x01) tag = pdu.header.subarray(16, 20);
      if (pdu.opcode === 0x02) {
        answer.pdu({ 0: 0x21, 1: 0x80, 3: 0x18 }, Buffer.alloc(0), (header) => header.set(tag, 16));
        answer.pdu({ 0: 0x22, 1: 0x80, 2: 1 });
      }
      return pdu.opcode === 0x01 || pdu.opcode === 0x02;
    });
    expect(await used.execute(testUnitReady)).toMatchObject({ status: 0x18 });
  });

  it('ends at once when it is cancelled, before it was sent and after', async () => {
    const used = await begin(atCommand(() => true));
    const cancel = new AbortController();
    const running = used.execute({ ...testUnitReady, timeoutMs: 60_000, signal: cancel.signal });
    await target?.seen(0x01);
    cancel.abort();
    expect((await failureOf(running)).kind).toBe('cancelled');
    expect((await failureOf(used.execute({ ...testUnitReady, signal: cancel.signal }))).kind).toBe(
      'cancelled',
    );
  });

  it('is found out early when the target has died without a word', async () => {
    const used = await begin((pdu) => pdu.opcode !== 0x03, {
      times: { abortMs: 200, silenceMs: 100, logoutMs: 200 },
    });
    const error = await failureOf(used.execute({ ...testUnitReady, timeoutMs: 600_000 }));
    expect(error).toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('not answer any more'),
    });
    expect(target?.sent.some(({ opcode }) => opcode === 0x00)).toBe(true);
  });
});

describe('the session', () => {
  it('sends no more than the target has room for', async () => {
    let answered = 0;
    let mostAtOnce = 0;
    const answers: (() => void)[] = [];
    const roomForOne = (header: Buffer): void => {
      header.copyWithin(32, 28, 32);
    };
    const used = await begin((pdu, answer) => {
      if (pdu.opcode === 0x03) {
        answer.pdu({ 0: 0x23, 1: pdu.header.readUInt8(1) }, Buffer.alloc(0), roomForOne);
        return true;
      }
      if (pdu.opcode !== 0x01) return false;
      answers.push(() => answer.pdu({ 0: 0x21, 1: 0x80 }, Buffer.alloc(0), roomForOne));
      mostAtOnce = Math.max(mostAtOnce, answers.length - answered);
      return true;
    });
    const running = Array.from({ length: 40 }, () => used.execute({ ...testUnitReady, timeoutMs: 5000 }));
    for (; answered < 40; answered += 1) {
      await target?.seen(0x01, answered + 1);
      answers[answered]?.();
    }
    expect((await Promise.all(running)).every(({ status }) => status === 0)).toBe(true);
    expect(mostAtOnce).toBe(1);
  });

  it('answers when the target asks whether we are there', async () => {
    const used = await begin(
      atCommand((_pdu, answer) => {
        answer.pdu({
          0: 0x20,
          1: 0x80,
          9: 3,
          16: 0xff,
          17: 0xff,
          18: 0xff,
          19: 0xff,
          20: 0,
          21: 0,
          22: 0,
          23: 5,
        });
        return true;
      }),
    );
    const running = used.execute({ ...testUnitReady, timeoutMs: 60_000 }).catch((error: unknown) => error);
    await target?.seen(0x00);
    const reply = target?.sent.find(({ opcode }) => opcode === 0x00)?.header;
    expect(reply?.subarray(8, 24).toString('hex')).toBe('0003000000000000ffffffff00000005');
    await used.close();
    expect(await running).toMatchObject({ kind: 'cancelled' });
  });

  it('is closed while it logs in and while a command runs', async () => {
    const silent = await begin(() => true);
    const login = failureOf(silent.execute(testUnitReady));
    await target?.seen(0x03);
    await silent.close();
    expect((await login).kind).toBe('cancelled');
    await target?.stop();
    const busy = await begin(atCommand(() => true));
    const running = failureOf(busy.execute({ ...testUnitReady, timeoutMs: 60_000 }));
    await target?.seen(0x01);
    await busy.close();
    expect((await running).kind).toBe('cancelled');
    expect(target?.sent.some(({ opcode }) => opcode === 0x06)).toBe(true);
    expect((await failureOf(busy.execute(testUnitReady))).kind).toBe('cancelled');
  });

  it('is refused where nothing listens', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    server.close();
    await once(server, 'close');
    const nobody = createIscsiTransport({ address: '127.0.0.1', port, credentials: null }, iqn, options);
    expect(await failureOf(nobody.execute(testUnitReady))).toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('that gets any bytes after its login fails clearly or goes on', async () => {
    const codes = [0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x31, 0x32, 0x3f];
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.constantFrom(...codes),
        async (bytes, code) => {
          const noise = Buffer.concat([Buffer.from([code]), Buffer.from(bytes)]);
          const own = await startScriptedTarget(
            atCommand((_pdu, answer) => {
              answer.raw(noise);
              return false;
            }),
          );
          const portal = { address: '127.0.0.1', port: own.port, credentials: null };
          const times = { abortMs: 30, silenceMs: 10_000, logoutMs: 30 };
          const used = createIscsiTransport(portal, iqn, { ...options, times });
          try {
            const result = await used.execute({ ...inquiry, timeoutMs: 50 });
            expect(result.data.length).toBeLessThanOrEqual(64);
          } catch (error) {
            expect(error).toBeInstanceOf(DeviceError);
          } finally {
            await used.close();
            await own.stop();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
