import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSystemAuthorities } from '../../../main/api/authorities.ts';
import { lookAtCertificate, type Pin } from '../../../main/api/certificate.ts';
import { createTransport, type Transport } from '../../../main/api/transport.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { makeCertificate, type TestCertificate } from '../support/certificates.ts';
import { answerJson, envelope, type FakeServer, startFakeServer } from '../support/fake-server.ts';

let first: TestCertificate;
let second: TestCertificate;
let expired: TestCertificate;
let otherHost: TestCertificate;
beforeAll(async () => {
  [first, second, expired, otherHost] = await Promise.all([
    makeCertificate(),
    makeCertificate(),
    makeCertificate({ expired: true }),
    makeCertificate({ name: 'DNS:other.example' }),
  ]);
});

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(certificate: TestCertificate, port?: number): Promise<FakeServer> {
  const server = await startFakeServer(
    (seen, response) => {
      if (!seen.path.endsWith('/events')) return answerJson(response, 200, envelope([]));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: pool\ndata: {}\n\n');
    },
    { tls: certificate, ...(port === undefined ? {} : { port }) },
  );
  open.push(server);
  return server;
}

function transportTo(address: string, pinned: TestCertificate | null): Transport {
  const pin: Pin | null = pinned && { fingerprint: pinned.fingerprint, pem: pinned.cert };
  const transport = createTransport({ address, pin });
  open.unshift(transport);
  return transport;
}

const secret = { authorization: 'Bearer canary-token' };
const get = { method: 'GET', path: '/api/v1/pools', headers: secret, body: null } as const;
const stream = { ...get, path: '/api/v1/events' } as const;

async function failureOf(work: Promise<unknown>) {
  return problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

describe('a certificate that nobody vouches for', () => {
  it('is refused on every way, with what a person needs to decide, and nothing is sent (cases 38, 40)', async () => {
    const server = await serve(first);
    const transport = transportTo(server.address, null);
    const unknown = {
      kind: 'certificate',
      code: 'unknown',
      facts: expect.objectContaining({
        fingerprint: first.fingerprint,
        subject: expect.stringContaining('test server'),
        issuer: expect.stringContaining('test server'),
        validTo: expect.stringContaining('2049'),
        reason: 'selfSigned',
      }),
    };
    expect(await failureOf(transport.send(get))).toMatchObject(unknown);
    expect(await failureOf(transport.openStream(stream, new AbortController().signal))).toMatchObject(
      unknown,
    );
    expect(server.requests).toHaveLength(0);
  });

  it('is accepted on every way once it was agreed on (case 38)', async () => {
    const server = await serve(first);
    const transport = transportTo(server.address, first);
    expect((await transport.send(get)).status).toBe(200);
    const events = await transport.openStream(stream, new AbortController().signal);
    let text = '';
    for await (const chunk of events.chunks) text += Buffer.from(chunk).toString();
    expect(text).toContain('event: pool');
  });

  it('is refused even where the environment switches the check off (case 39)', async () => {
    const server = await serve(first);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await failureOf(transportTo(server.address, null).send(get))).toMatchObject({ code: 'unknown' });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe('a certificate that an authority of this system vouches for', () => {
  it('needs no question, but for another host (case 39)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'strongroom-authorities-'));
    try {
      const bundle = join(folder, 'bundle.crt');
      await writeFile(bundle, `# ours\n${first.cert}\n${otherHost.cert}`);
      await loadSystemAuthorities([join(folder, 'none.crt'), bundle]);
      const server = await serve(first);
      expect(await lookAtCertificate(server.address)).toMatchObject({ trust: 'system', reason: null });
      expect((await transportTo(server.address, null).send(get)).status).toBe(200);
      const elsewhere = await serve(otherHost);
      expect(await lookAtCertificate(elsewhere.address)).toMatchObject({
        trust: 'unknown',
        reason: 'wrongHost',
      });
      expect(await failureOf(transportTo(elsewhere.address, null).send(get))).toMatchObject({
        kind: 'certificate',
        message: expect.stringContaining('another name'),
      });
      expect(elsewhere.requests).toHaveLength(0);
    } finally {
      await loadSystemAuthorities([]);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a certificate that changed', () => {
  it('is refused with both fingerprints before any header leaves (case 40)', async () => {
    const before = await serve(first);
    const transport = transportTo(before.address, first);
    await transport.send(get);
    const { port } = before;
    await before.close();
    open.splice(open.indexOf(before), 1);
    const after = await serve(second, port);
    const changed = {
      kind: 'certificate',
      code: 'changed',
      facts: { fingerprint: second.fingerprint, trustedFingerprint: first.fingerprint },
    };
    expect(await failureOf(transport.send(get))).toMatchObject(changed);
    expect(await failureOf(transport.openStream(stream, new AbortController().signal))).toMatchObject(
      changed,
    );
    expect(after.requests).toHaveLength(0);
  });

  it('is told apart from an expired one and from one for another host (case 40)', async () => {
    const old = await serve(expired);
    expect(await failureOf(transportTo(old.address, expired).send(get))).toMatchObject({
      kind: 'certificate',
      code: 'expired',
    });
    expect(old.requests).toHaveLength(0);
    const elsewhere = await serve(otherHost);
    expect(await failureOf(transportTo(elsewhere.address, null).send(get))).toMatchObject({
      code: 'unknown',
    });
    // Agreed on by hand, the name does not matter any more: exactly this certificate does.
    expect((await transportTo(elsewhere.address, otherHost).send(get)).status).toBe(200);
  });
});

describe('a look at a certificate', () => {
  it('sends nothing and tells what is wrong', async () => {
    const server = await serve(first);
    expect(await lookAtCertificate(server.address)).toMatchObject({
      fingerprint: first.fingerprint,
      trust: 'unknown',
      reason: 'selfSigned',
    });
    expect(server.requests).toHaveLength(0);
  });

  it('is a problem in words where no TLS is spoken, and can be cancelled where nothing answers', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('hello\r\n');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const address = plain.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(await failureOf(lookAtCertificate(`https://127.0.0.1:${port}`))).toMatchObject({
      kind: 'unreachable',
    });
    plain.close();
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const muteAddress = mute.address();
    const controller = new AbortController();
    const mutePort = typeof muteAddress === 'object' ? muteAddress?.port : 0;
    const look = failureOf(lookAtCertificate(`https://127.0.0.1:${mutePort}`, controller.signal));
    controller.abort();
    expect(await look).toMatchObject({ kind: 'cancelled' });
    mute.close();
  });
});
