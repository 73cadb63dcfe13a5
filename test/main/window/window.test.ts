import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onWindowClose, quitQuestion } from '../../../main/window/close-rules.ts';
import { allowedLink } from '../../../main/window/external-links.ts';
import { createPageFiles } from '../../../main/window/page-files.ts';
import { hasTrayHost } from '../../../main/window/tray-host.ts';
import { placeFor } from '../../../main/window/window-place.ts';

describe('a link of the page', () => {
  const saved = ['https://backup.example.com:5656', 'http://127.0.0.1:4000', ''];

  it.each([
    'file:///etc/passwd',
    'smb://server/share',
    'javascript:alert(1)',
    'strongroom://x',
    'ms-msdt:/id',
    'http://www.gnu.org/software/tar/',
    'https://www.gnu.org.evil.example/software/tar/',
    'https://user@www.gnu.org/software/tar/',
    'https://www.gnu.org:8443/software/tar/',
    'https://www.gnu.org/software/tar/../../evil',
    'https://evil.example/',
    'https://backup.example.com:5656/other',
    'http://127.0.0.1:4000/api/v1',
    '//backup.example.com',
    '',
  ])('to %s is not opened (case 23)', (url) => {
    expect(() => allowedLink(url, saved)).toThrow(/does not open/);
  });

  it.each(['https://www.gnu.org/software/tar/manual/', 'https://backup.example.com:5656/api/v1'])(
    'to %s is opened',
    (url) => {
      expect(allowedLink(url, saved)).toBe(url);
    },
  );
});

describe('the files of the page', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'strongroom-page-'));
    await mkdir(join(folder, 'renderer', 'assets'), { recursive: true });
    await writeFile(
      join(folder, 'renderer', 'index.html'),
      '<html lang="en"><meta name="csp-nonce" content="__NONCE__">',
    );
    await writeFile(join(folder, 'renderer', 'assets', 'a.js'), 'x');
    await writeFile(join(folder, 'renderer', 'assets', 'a.exe'), 'x');
    await writeFile(join(folder, 'secret.json'), '{}');
    await symlink(join(folder, 'secret.json'), join(folder, 'renderer', 'link.json'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const get = (url: string, method = 'GET') =>
    createPageFiles(join(folder, 'renderer'), () => 'ru')({ method, url });

  it('come with a strict policy and a nonce of their own each time', async () => {
    const [one, two] = [await get('app://bundle/'), await get('app://bundle/index.html')];
    const policy = one.headers['content-security-policy'] ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(one.body.toString('utf8')).toBe(`<html lang="ru"><meta name="csp-nonce" content="${nonce}">`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    expect(two.headers['content-security-policy']).not.toBe(policy);
    expect((await get('app://bundle/assets/a.js')).headers['content-type']).toContain('javascript');
  });

  it.each([
    'app://bundle/../secret.json',
    'app://bundle/%2e%2e/secret.json',
    'app://bundle/..%2fsecret.json',
    'app://bundle/assets/..%5c..%5csecret.json',
    'app://bundle/link.json',
    'app://bundle/assets/a.exe',
    'app://bundle/assets',
    'app://bundle/none.js',
    'app://bundle/a%00.js',
    'app://bundle/%zz',
    'app://other/index.html',
    'https://bundle/index.html',
  ])('are not to be had by %s', async (url) => {
    expect((await get(url)).status).toBe(404);
  });

  it('are read only', async () => {
    expect((await get('app://bundle/', 'POST')).status).toBe(405);
  });
});

describe('the place of the window', () => {
  const screens = [
    { x: 0, y: 0, width: 1920, height: 1040 },
    { x: 1920, y: 0, width: 1280, height: 1024 },
  ];
  const saved = { x: 100, y: 50, width: 1200, height: 800, maximized: false };

  it('is the one it was left at, on any screen', () => {
    expect(placeFor(saved, screens)).toEqual({ x: 100, y: 50, width: 1200, height: 800 });
    expect(placeFor({ ...saved, x: 2000 }, screens)).toMatchObject({ x: 2000 });
  });

  it('is the usual one when the screen is gone or the title bar would be out of reach', () => {
    for (const lost of [
      { ...saved, x: 5000 },
      { ...saved, y: -500 },
      { ...saved, y: 1030 },
      { ...saved, x: -1150 },
    ])
      expect(placeFor(lost, screens)).toEqual({ width: 1440, height: 900 });
    expect(placeFor(null, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({ width: 1024, height: 700 });
  });

  it('is never larger than its screen or too small to use', () => {
    expect(placeFor({ ...saved, width: 9000, height: 10 }, screens)).toMatchObject({
      width: 1920,
      height: 600,
    });
  });

  it('lies wholly on a screen that has become too small for it (case 12)', () => {
    const laptop = [{ x: 0, y: 30, width: 1366, height: 738 }];
    const big = { ...saved, x: 500, y: 300, width: 2400, height: 1300 };
    expect(placeFor(big, laptop)).toEqual({ x: 0, y: 30, width: 1366, height: 738 });
    // Only its height does not fit: it moves up, and no further to the left than it has to.
    expect(placeFor({ ...big, width: 1000 }, laptop)).toEqual({ x: 366, y: 30, width: 1000, height: 738 });
    // What fits stays where a person put it, even partly beside the screen.
    expect(placeFor({ ...saved, x: 900, y: 40, height: 700 }, laptop)).toMatchObject({ x: 900, y: 40 });
  });
});

describe('closing the window', () => {
  const facts = { runningTasks: ['Backup of /srv'], hasTray: true, closeWithoutTray: 'ask' } as const;

  it('keeps running tasks going in the tray (case 1)', () => {
    expect(onWindowClose(facts)).toBe('hide');
    expect(onWindowClose({ ...facts, runningTasks: [] })).toBe('quit');
  });

  it('asks where no tray could show the window again (case 18)', () => {
    expect(onWindowClose({ ...facts, hasTray: false })).toBe('ask');
    expect(onWindowClose({ ...facts, hasTray: false, closeWithoutTray: 'background' })).toBe('hide');
    expect(onWindowClose({ ...facts, hasTray: false, closeWithoutTray: 'quit' })).toBe('ask');
  });

  it('names what runs before quitting, and not more than a person reads (case 1)', () => {
    expect(quitQuestion([])).toBeNull();
    expect(quitQuestion(['Backup of /srv'])?.detail).toContain('Backup of /srv');
    const many = quitQuestion(Array.from({ length: 40 }, (_one, index) => `Backup of /${index}`));
    expect(many?.message).toContain('40 tasks');
    expect(many?.detail).toContain('and 35 more');
  });

  it('believes in no tray where there is no session bus (case 18)', async () => {
    const before = process.env.DBUS_SESSION_BUS_ADDRESS;
    process.env.DBUS_SESSION_BUS_ADDRESS = 'unix:path=/nonexistent/bus';
    try {
      expect(await hasTrayHost('linux')).toBe(false);
    } finally {
      if (before === undefined) delete process.env.DBUS_SESSION_BUS_ADDRESS;
      else process.env.DBUS_SESSION_BUS_ADDRESS = before;
    }
    expect(await hasTrayHost('win32')).toBe(true);
  });
});
