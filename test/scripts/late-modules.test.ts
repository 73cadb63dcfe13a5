import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let folder: string;
/** Within the project, from where its packages are found. */
beforeAll(() => {
  mkdirSync(join(root, 'out'), { recursive: true });
  folder = mkdtempSync(join(root, 'out', 'late-modules-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

/** What a program says that was bundled as the backend is. */
function bundled(program: string): { readonly said: unknown; readonly code: string } {
  const [entry, outfile] = [join(folder, 'program.ts'), join(folder, 'program.mjs')];
  writeFileSync(entry, program);
  const options = JSON.stringify({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    packages: 'external',
  });
  const build = `import { build } from 'esbuild';
    import { lateModules } from './scripts/support/late-modules.mjs';
    await build({ ...${options}, plugins: [lateModules] });`;
  run('--input-type=module', '-e', build);
  return { said: JSON.parse(run(outfile)), code: readFileSync(outfile, 'utf8') };
}

test('a bundle loads what is large when it first uses it, and then it works', () => {
  const { said } = bundled(`
    import { createHash } from 'node:crypto';
    import { createRequire } from 'node:module';
    import zlib, { crc32 } from 'node:zlib';
    import { Blake3Hasher } from '@napi-rs/blake-hash';
    import { Decoder, Encoder } from '@toondepauw/node-zstd';
    import { compressFrameSync, decompressFrameSync } from 'lz4-napi';
    const { cache } = createRequire(import.meta.url);
    const loaded = () => [
      ...['crypto', 'zlib', 'stream'].filter((name) => process.moduleLoadList.includes('NativeModule ' + name)),
      ...['blake-hash', 'node-zstd', 'lz4-napi'].filter((name) => Object.keys(cache).some((path) => path.includes(name))),
    ];
    const first = loaded();
    const text = Buffer.from('some text');
    const works = [
      createHash('sha256').update(text).digest('hex'),
      zlib.inflateSync(zlib.deflateSync(text)).toString(),
      crc32(text),
      new Blake3Hasher().update(text).digest('hex'),
      new Decoder().decodeSync(new Encoder(3).encodeSync(text)).toString(),
      decompressFrameSync(compressFrameSync(text)).toString(),
    ];
    console.log(JSON.stringify({ first, works, last: loaded() }));
  `);
  const sha256 = 'b94f6f125c79e3a5ffaa826f584c10d52ada669e6762051b826b55776d05aed2';
  const blake3 = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(said).toEqual({
    first: [],
    works: [sha256, 'some text', crc32('some text'), blake3, 'some text', 'some text'],
    last: ['crypto', 'zlib', 'stream', 'blake-hash', 'node-zstd', 'lz4-napi'],
  });
});

test('what is native in a package is loaded for itself, and by the module around it where it is another one', () => {
  const program = `
    import { createRequire } from 'node:module';
    import { blake3 } from '@napi-rs/blake-hash';
    const hash = blake3(Buffer.from('some text')).toString('hex');
    const around = Object.keys(createRequire(import.meta.url).cache).some((path) => path.endsWith('blake-hash/index.js'));
    console.log(JSON.stringify({ hash, around }));`;
  const asIs = bundled(program);
  const isLinux = process.platform === 'linux';
  expect(asIs.said).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), around: !isLinux });
  const elsewhere = join(folder, 'elsewhere.mjs');
  writeFileSync(elsewhere, asIs.code.replaceAll('-gnu', '-of-no-system'));
  expect(JSON.parse(run(elsewhere))).toEqual({ ...(asIs.said as object), around: true });
});

test('where the C library is glibc, hashing asks for no report of the process', () => {
  const { said } = bundled(`
    import { Blake3Hasher } from '@napi-rs/blake-hash';
    const { getReport } = process.report;
    let reports = 0;
    process.report.getReport = () => {
      reports += 1;
      return getReport();
    };
    const hash = new Blake3Hasher().update(Buffer.from('some text')).digest('hex');
    console.log(JSON.stringify({ length: hash.length, reports }));
  `);
  const { header } = process.report.getReport() as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  const isWithWrapper = process.platform !== 'linux' || header.glibcVersionRuntime === undefined;
  expect(said).toEqual({ length: 64, reports: isWithWrapper ? expect.any(Number) : 0 });
});

test("of Node's other modules a bundle has the names that it uses, each the module's own", () => {
  const { said, code } = bundled(`
    import fs, { readFileSync, statSync as look } from 'node:fs';
    import * as path from 'node:path';
    import { EventEmitter } from 'node:events';
    class Told extends EventEmitter {}
    console.log(JSON.stringify([readFileSync === fs.readFileSync, look === fs.statSync, path.join('a', 'b'), new Told().listenerCount('x')]));
  `);
  expect(said).toEqual([true, true, 'a/b', 0]);
  expect(code).not.toContain('writeFileSync');
  expect(code).not.toMatch(/^import .*node:/m);
});

test('what Node 20 cannot load late is a part of the bundle', () => {
  const { said, code } = bundled(`
    import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
    const cipher = () => chacha20poly1305(new Uint8Array(32), new Uint8Array(12));
    console.log(JSON.stringify(Buffer.from(cipher().decrypt(cipher().encrypt(Buffer.from('sealed')))).toString()));
  `);
  expect(said).toBe('sealed');
  expect(code).not.toMatch(/from ["']@noble/);
});
