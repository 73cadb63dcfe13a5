import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { projectRoot, scriptAnswer } from '../support/script-answer.ts';

interface Module {
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

test('a package holds what the app depends on and no tool', () => {
  const modules = scriptAnswer<readonly Module[]>(
    `const { runtimeModules } = await import('./scripts/package/modules.mjs'); console.log(JSON.stringify(runtimeModules()))`,
  );
  const names = modules.map(({ name }) => name);
  for (const needed of ['fastify', 'undici', 'zod', 'koffi', '@github/keytar', '@photostructure/sqlite'])
    expect(names).toContain(needed);
  for (const tool of ['vitest', 'electron', 'typescript', 'react', '@playwright/test', 'openapi-typescript'])
    expect(names).not.toContain(tool);
  // A dependency of a dependency that has a version of its own.
  expect(modules.some(({ path }) => path.lastIndexOf('node_modules/') > 0)).toBe(true);
});

test('its bill of materials has every packaged module by its real name, and the runtime', () => {
  const { modules, bill } = scriptAnswer<{
    readonly modules: readonly Module[];
    readonly bill: {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly name: string;
        readonly group?: string;
        readonly version: string;
        readonly purl: string;
      }[];
    };
  }>(`
    const { readFileSync } = await import('node:fs');
    const { runtimeModules } = await import('./scripts/package/modules.mjs');
    const { billOfMaterials } = await import('./scripts/package/sbom.mjs');
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    const modules = runtimeModules();
    const versions = { electron: '1.2.3', chrome: '4', node: '5', v8: '6', openssl: '7' };
    console.log(JSON.stringify({ modules, bill: billOfMaterials({ manifest, modules, versions }) }));
  `);
  expect(bill.bomFormat).toBe('CycloneDX');
  const purls = bill.components.map(({ purl }) => purl);
  for (const { name, version } of modules)
    expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
  expect(purls).toContain('pkg:npm/electron@1.2.3');
  expect(bill.components.some(({ name }) => name === 'vitest')).toBe(false);
});

test('its icons are images of the sizes that desktops ask for', () => {
  const icons = scriptAnswer<readonly (readonly [number, string])[]>(
    `const { iconSizes, iconPng } = await import('./scripts/package/icon.mjs');
     console.log(JSON.stringify(iconSizes.map((size) => [size, iconPng(size).toString('base64')])))`,
  );
  expect(icons.map(([size]) => size)).toEqual([16, 24, 32, 48, 64, 128, 256, 512]);
  for (const [size, base64] of icons) {
    const png = Buffer.from(base64, 'base64');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size]);
    const length = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString()).toBe('IDAT');
    expect(png.readUInt32BE(41 + length)).toBe(crc32(png.subarray(37, 41 + length)));
    const pixels = inflateSync(png.subarray(41, 41 + length));
    expect(pixels).toHaveLength(size * (1 + size * 4));
    // The corners are clear, the hub in the middle is not.
    expect(pixels[4]).toBe(0);
    const middle = Math.floor(size / 2);
    expect(pixels[middle * (1 + size * 4) + 1 + middle * 4 + 3]).toBe(255);
  }
});

test.each(['postinst', 'prerm', 'postrm'])('the script %s is one that a plain shell takes', (name) => {
  execFileSync('sh', ['-n', join(projectRoot, 'scripts', 'package', 'debian', name)]);
});
