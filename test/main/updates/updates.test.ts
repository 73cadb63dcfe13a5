import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notice } from '../../../contract/bridge.ts';
import {
  defaultSettings,
  Settings,
  type Settings as SettingsOf,
} from '../../../contract/desktop/settings.ts';
import { createNotices } from '../../../main/notices/notices.ts';
import type { Log } from '../../../main/platform/log.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { isOfPackageManager } from '../../../main/updates/own-package.ts';
import { readFeed } from '../../../main/updates/read-feed.ts';
import { feedFile, isNewer, readRelease } from '../../../main/updates/release.ts';
import { createUpdates } from '../../../main/updates/updates.ts';
import { makeCertificate, type TestCertificate } from '../support/certificates.ts';
import { type Behaviour, type FakeServer, startFakeServer } from '../support/fake-server.ts';

const yml = (version: string, path = 'strongroom-9.1.0-linux-x64.AppImage') =>
  `version: ${version}\nfiles:\n  - url: ${path}\n    sha512: x\npath: ${path}\nreleaseDate: '2026-11-29T00:00:00.000Z'\n`;

const answer =
  (text: string, status = 200): Behaviour =>
  (_seen, response) => {
    response.writeHead(status, { 'content-type': 'text/yaml' });
    response.end(text);
  };

const redirect: Behaviour = (_seen, response) => {
  response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
};
const breakOff: Behaviour = (_seen, response) => {
  response.destroy();
};

let certificate: TestCertificate;
let server: FakeServer;
let settings: SettingsOf;
let notices: ReturnType<typeof createNotices>;
let opened: string[];

beforeEach(async () => {
  certificate ??= await makeCertificate();
  server = await startFakeServer(answer(yml('9.1.0')), { tls: certificate });
  settings = { ...defaultSettings, lookForUpdates: true, updateFeed: `${server.address}/strongroom` };
  notices = createNotices();
  opened = [];
});
afterEach(() => server.close());

const silent = () => undefined;
const log: Log = { info: silent, warn: silent, error: silent, flush: async () => undefined };
const updatesOf = (isOwnPackage = true) =>
  createUpdates({
    settings: () => settings,
    notices,
    log,
    version: '9.0.2',
    platform: 'linux',
    arch: 'x64',
    isOwnPackage,
    readFeed: (url) => readFeed(url, { ca: [certificate.cert] }),
    openLink: async (url) => {
      opened.push(url);
    },
  });
const told = (): readonly Notice[] => notices.standing();

describe('looking for a new version', () => {
  it('is off at first: nothing is asked over the network, and nothing is told', async () => {
    expect(defaultSettings.lookForUpdates).toBe(false);
    settings = { ...settings, lookForUpdates: false };
    await updatesOf().look();
    expect(server.requests).toEqual([]);
    expect(told()).toEqual([]);
  });

  it('asks for one file, tells of the version that is there, and opens its package only when asked to', async () => {
    const updates = updatesOf();
    await updates.look();
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /strongroom/latest-linux.yml',
    ]);
    const place = `${server.address}/strongroom/strongroom-9.1.0-linux-x64.AppImage`;
    expect(told()).toMatchObject([
      { id: 'update', action: 'openUpdate', message: `Version 9.1.0 of Strongroom is there: ${place}` },
    ]);
    expect(opened).toEqual([]);
    await updates.open();
    expect(opened).toEqual([place]);
    settings = { ...settings, lookForUpdates: false };
    await updates.look();
    expect(told()).toEqual([]);
    expect(problemOf(await updates.open().catch((error: unknown) => error))).toMatchObject({
      code: 'update',
    });
  });

  it('names the folder where the system installed the app, which is not to be replaced by a file', async () => {
    const updates = updatesOf(false);
    await updates.look();
    await updates.open();
    expect(opened).toEqual([`${server.address}/strongroom/`]);
    expect(isOfPackageManager('/usr/lib/strongroom/strongroom')).toBe(true);
    expect(isOfPackageManager('/home/ana/strongroom/strongroom')).toBe(false);
  });

  it.each([
    ['the same version', yml('9.0.2')],
    ['an older one', yml('8.9.9')],
  ])('says nothing of %s', async (_what, text) => {
    server.behave = answer(text);
    await updatesOf().look();
    expect(server.requests).toHaveLength(1);
    expect(told()).toEqual([]);
  });

  it.each<[string, Behaviour, string]>([
    ['a page instead of the file', answer('<html>'), 'names no version'],
    ['an error', answer('gone', 404), 'answered 404'],
    ['a redirect', redirect, 'answered 302'],
    ['far too much', answer(`version: 9.1.0\n${'x'.repeat(1_000_000)}`), 'could not be found out'],
    ['a line that breaks', breakOff, 'could not be found out'],
  ])('tells why it failed, once, and offers nothing, for %s', async (_what, behave, words) => {
    server.behave = behave;
    const updates = updatesOf();
    await updates.look();
    await updates.look();
    expect(told()).toMatchObject([{ action: 'none', message: expect.stringContaining(words) }]);
    await expect(updates.open()).rejects.toThrow('No new version');
  });

  it('trusts no server that this computer does not', async () => {
    await expect(readFeed(`${server.address}/strongroom/latest-linux.yml`)).rejects.toThrow(/certificate/);
  });
});

describe('its settings', () => {
  it.each([
    'http://example.com/',
    'https://me:secret@example.com/',
    'https://example.com/?a',
    'file:///etc',
    'https://:1/',
    'x',
  ])('refuse the address %s', (updateFeed) => {
    const parsed = Settings.safeParse({ ...defaultSettings, updateFeed });
    expect(parsed.error?.issues[0]).toMatchObject({
      path: ['updateFeed'],
      message: expect.stringContaining('must be an https address'),
    });
  });

  it('cannot be on without an address', () => {
    settings = { ...defaultSettings };
    const updates = updatesOf();
    const refused = (patch: Parameters<typeof updates.checkPatch>[0]) => {
      try {
        updates.checkPatch(patch);
        return undefined;
      } catch (error) {
        return problemOf(error)?.errors;
      }
    };
    const errors = { updateFeed: 'Enter the address at which new versions are looked for.' };
    expect(refused({ lookForUpdates: true })).toEqual(errors);
    expect(refused({ lookForUpdates: true, updateFeed: 'https://example.com/' })).toBeUndefined();
    settings = { ...defaultSettings, lookForUpdates: true, updateFeed: 'https://example.com/' };
    expect(refused({ updateFeed: '' })).toEqual(errors);
    expect(refused({ theme: 'dark' })).toBeUndefined();
  });
});

describe('what a feed says', () => {
  it.each([
    ['win32', 'x64', 'latest.yml'],
    ['darwin', 'arm64', 'latest-mac.yml'],
    ['linux', 'x64', 'latest-linux.yml'],
    ['linux', 'arm64', 'latest-linux-arm64.yml'],
  ])('lies on %s %s in %s', (platform, arch, file) => {
    expect(feedFile(platform, arch)).toBe(file);
  });

  it('is a version, and a package only if it lies there', () => {
    expect(readRelease(yml('9.1.0'))).toMatchObject({ version: '9.1.0' });
    expect(readRelease("version: '9.1.0'\npath: ../../other\n")).toEqual({ version: '9.1.0', file: null });
    expect(readRelease('version: 9.1.0\npath: https://evil.example/x\n')?.file).toBeNull();
    expect(readRelease('version: nine\n')).toBeNull();
  });

  it.each([
    ['10.0.0', '9.9.9', true],
    ['9.0.2', '9.0.2', false],
    ['9.0.2', '9.0.2-beta.1', true],
    ['9.0.2-beta.1', '9.0.2', false],
    ['', '9.0.2', false],
  ])('%s is newer than %s: %s', (version, than, isIt) => {
    expect(isNewer(version, than)).toBe(isIt);
  });
});
