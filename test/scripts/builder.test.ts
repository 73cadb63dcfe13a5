import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot, scriptAnswer } from '../support/script-answer.ts';

let runtime: string;

/** A folder that passes for Electron's: it says its versions as the real one does, and shows what it was asked for. */
beforeAll(() => {
  runtime = mkdtempSync(join(tmpdir(), 'strongroom-builder-'));
  const versions = JSON.stringify({ electron: '1.2.3', chrome: '4', node: '5', v8: '6', openssl: '7' });
  writeFileSync(join(runtime, 'electron'), `#!/bin/sh\nprintf '%s' '${versions}'\n`, { mode: 0o755 });
});
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

/** With that folder as the runtime. */
function ask<T>(code: string, env: Readonly<Record<string, string>> = {}): T {
  return scriptAnswer<T>(code, { ELECTRON_OVERRIDE_DIST_PATH: runtime, ...env });
}

interface Config {
  readonly electronDist: string;
  readonly electronVersion: string;
  readonly asar: boolean;
  readonly publish: readonly { readonly provider: string; readonly url: string }[] | null;
  readonly extraMetadata: { readonly version?: string };
  readonly toolsets: { readonly appimage: string };
  readonly appImage: { readonly executableArgs: readonly string[] };
  readonly linux: { readonly target: readonly string[]; readonly icon: string };
  readonly win: { readonly target: readonly string[]; readonly icon: string };
  readonly mac: { readonly target: readonly string[]; readonly icon: string };
}

const readConfig = `const { default: config } = await import('./scripts/package/electron-builder.config.mjs');`;
const printConfig = `${readConfig} console.log(JSON.stringify(config));`;

test('electron-builder gets the runtime that was looked at, a plain folder, and an icon for each platform', () => {
  const config = ask<Config>(printConfig);
  expect(config).toMatchObject({ electronDist: runtime, electronVersion: '1.2.3', asar: false });
  expect(config.linux.target).toEqual(['AppImage', 'zip']);
  expect(config.win.target).toEqual(['nsis', 'zip']);
  expect(config.mac.target).toEqual(['dmg', 'zip']);
  // Another runtime than the release's makes a package that says so by its version.
  expect(config.extraMetadata.version).toMatch(/-test$/);
});

test('the desktop starts an AppImage with its sandbox, and without libraries that systems no longer have', () => {
  const { toolsets, appImage } = ask<Config>(printConfig);
  expect(appImage.executableArgs).toEqual([]);
  expect(toolsets.appimage).not.toBe('0.0.0');
});

test('updates are off, and a feed is only named where its address is given', () => {
  expect(ask<Config>(printConfig).publish).toBeNull();
  const feed = { STRONGROOM_UPDATES_FROM: 'https://updates.lab.example/strongroom' };
  expect(ask<Config>(printConfig, feed).publish).toEqual([
    { provider: 'generic', url: 'https://updates.lab.example/strongroom', channel: 'latest' },
  ]);
});

test('a package for another platform is refused, because its native modules are not here', () => {
  const message = ask<string>(`${readConfig}
    const packager = { appInfo: { productFilename: 'Strongroom' }, executableName: 'strongroom' };
    const other = process.platform === 'darwin' ? 'linux' : 'darwin';
    await config.afterPack({ appOutDir: '/nowhere', electronPlatformName: other, packager }).then(
      () => console.log('"built"'),
      (error) => console.log(JSON.stringify(error.message)));`);
  expect(message).toMatch(/^a package for \w+ is built on \w+, where npm installs its native modules/);
});

test('the icons of Windows and macOS hold an image of each size', () => {
  const { ico, icns } = ask<{ readonly ico: string; readonly icns: string }>(`
    const { icoFile, icnsFile } = await import('./scripts/package/icon-files.mjs');
    console.log(JSON.stringify({ ico: icoFile().toString('base64'), icns: icnsFile().toString('base64') }));`);
  expect(sizesOfIco(Buffer.from(ico, 'base64'))).toEqual([16, 24, 32, 48, 64, 128, 256]);
  expect(sizesOfIcns(Buffer.from(icns, 'base64'))).toEqual({
    icp4: 16,
    icp5: 32,
    icp6: 64,
    ic07: 128,
    ic08: 256,
    ic09: 512,
    ic10: 1024,
  });
});

test('npm run package says which kinds there are here', () => {
  let text = '';
  try {
    execFileSync(process.execPath, [join(projectRoot, 'scripts', 'package.mjs'), '--target', 'msi'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    text = String((error as { readonly stderr?: string }).stderr);
  }
  expect(text).toContain('--target msi cannot be built on');
  expect(text).toContain('zip');
});

/** The widths of the PNGs that the directory points to, each of which ends where the next begins. */
function sizesOfIco(file: Buffer): number[] {
  expect([file.readUInt16LE(0), file.readUInt16LE(2)]).toEqual([0, 1]);
  const count = file.readUInt16LE(4);
  let end = 6 + 16 * count;
  const sizes = Array.from({ length: count }, (_, at) => {
    const entry = file.subarray(6 + 16 * at, 22 + 16 * at);
    expect(entry.readUInt32LE(12)).toBe(end);
    const size = pngWidth(file.subarray(end));
    expect(entry.readUInt8(0)).toBe(size % 256);
    end += entry.readUInt32LE(8);
    return size;
  });
  expect(end).toBe(file.length);
  return sizes;
}

function sizesOfIcns(file: Buffer): Record<string, number> {
  expect(file.toString('latin1', 0, 4)).toBe('icns');
  expect(file.readUInt32BE(4)).toBe(file.length);
  const sizes: Record<string, number> = {};
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4))
    sizes[file.toString('latin1', at, at + 4)] = pngWidth(file.subarray(at + 8));
  return sizes;
}

function pngWidth(image: Buffer): number {
  expect(image.toString('latin1', 1, 4)).toBe('PNG');
  return image.readUInt32BE(16);
}
