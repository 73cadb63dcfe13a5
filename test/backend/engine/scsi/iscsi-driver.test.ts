import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIscsiDriver } from '../../../../backend/engine/index.ts';
import { formatIscsiPath, parseIscsiPath } from '../../../../backend/engine/scsi/iscsi/device-path.ts';
import { startScriptedTarget } from './scripted-target.ts';

const { signal } = new AbortController();
const initiatorName = 'iqn.2026-11.example.test:initiator';

describe('paths of iSCSI devices', () => {
  it.each([
    ['iscsi://127.0.0.1:3260/iqn.2026-11.example.lab:tape/3', '127.0.0.1', 3260, 3],
    ['iscsi://tape.example.com:860/eui.0123456789abcdef/0', 'tape.example.com', 860, 0],
    ['iscsi://[fe80::1]:3260/naa.52004567ba64678d/255', 'fe80::1', 3260, 255],
  ])('%s is one, and is written the same again', (text, address, port, lun) => {
    const path = parseIscsiPath(text);
    expect(path).toMatchObject({ address, port, lun });
    expect(path === null ? null : formatIscsiPath(path)).toBe(text);
  });

  it.each([
    '/dev/sg3',
    'iscsi://127.0.0.1/iqn.2026-11.example:x/1',
    'iscsi://127.0.0.1:0/iqn.2026-11.example:x/1',
    'iscsi://127.0.0.1:65536/iqn.2026-11.example:x/1',
    'iscsi://127.0.0.1:3260/tape/1',
    'iscsi://127.0.0.1:3260/iqn.2026-11.example:x/99999',
    'iscsi://127.0.0.1:3260/iqn.2026-11.example:x/1/2',
    'iscsi://user@host:3260/iqn.2026-11.example:x/1',
    'iscsi://[host]:3260/iqn.2026-11.example:x/1',
    'iscsi://host:3260/iqn.2026-11.example:a b/1',
  ])('%s is none', (text) => expect(parseIscsiPath(text)).toBeNull());

  it('are never made of other text', () => {
    fc.assert(fc.property(fc.string(), (text) => parseIscsiPath(`iscsi://${text}`) === null));
  });
});

describe('the driver of iSCSI devices', () => {
  it('without portals finds nothing and connects to nothing', async () => {
    const driver = createIscsiDriver({ portals: async () => [], initiatorName });
    const target = await startScriptedTarget();
    const path = `iscsi://127.0.0.1:${target.port}/iqn.2026-11.example.lab:x/1`;
    expect(await driver.scan(signal)).toEqual({ changers: [], drives: [] });
    expect(await driver.isThere(path)).toBe(false);
    await expect(driver.openChanger(path, signal)).rejects.toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('add it to the SCSI portals'),
    });
    expect(target.connections).toBe(0);
    await target.stop();
  });

  it('tells of a portal that stays silent, and of one that talks nonsense', async () => {
    const silent = await startScriptedTarget(() => true);
    const mad = await startScriptedTarget((_pdu, answer) => {
      answer.raw(Buffer.from('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n and more of it'));
      return true;
    });
    const leftOut: string[] = [];
    const driver = createIscsiDriver({
      portals: async () =>
        [silent, mad].map(({ port }) => ({ address: '127.0.0.1', port, credentials: null })),
      initiatorName,
      loginMs: 300,
      onLeftOut: (where, error) => leftOut.push(`${where} ${(error as { kind: string }).kind}`),
    });
    expect(await driver.scan(signal)).toEqual({ changers: [], drives: [] });
    expect(leftOut.sort()).toEqual(
      [`127.0.0.1:${silent.port} transient`, `127.0.0.1:${mad.port} corrupt`].sort(),
    );
    await silent.stop();
    await mad.stop();
  });

  it('ends a scan at once when it is cancelled', async () => {
    const silent = await startScriptedTarget(() => true);
    const cancel = new AbortController();
    const driver = createIscsiDriver({
      portals: async () => [{ address: '127.0.0.1', port: silent.port, credentials: null }],
      initiatorName,
    });
    const scan = driver.scan(cancel.signal);
    await silent.seen(0x03);
    cancel.abort();
    await expect(scan).rejects.toThrow();
    await silent.stop();
  });
});
