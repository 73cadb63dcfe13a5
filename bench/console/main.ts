import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from '@playwright/test';
import { median } from '../support/measure.ts';
import { makeBareApp } from './bare.ts';
import { password, startBigServer } from './big-server.ts';
import { coldStart, type Start } from './cold-start.ts';
import { projectRoot, type Started, start } from './electron.ts';
import { startSmallServer } from './many-servers.ts';
import {
  answerTimes,
  changeScreens,
  type Frames,
  firstRowsMs,
  framesDuring,
  heapMb,
  heldMb,
  scroll,
  shareOf,
} from './probes.ts';
import { workDuring } from './trace.ts';

/**
 * The window in the real Electron: how fast it is there beside a bare window with React, how it bears a big server, what it
 * keeps in memory, and how quickly main answers while many servers are connected. Without a display it starts itself again
 * under Xvfb. Frames are those of a display without a graphics card.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    clients: { type: 'string', default: '100000' },
    tasks: { type: 'string', default: '1000000' },
    copies: { type: 'string', default: '200000' },
    changes: { type: 'string', default: '1000' },
    warm: { type: 'string', default: '500' },
    servers: { type: 'string', default: '50' },
    mute: { type: 'string', default: '5' },
    /** One part only: start, big, servers. */
    part: { type: 'string' },
  },
});
const runs = Number(values.runs);

/** What is aimed at; a figure beyond it is marked. */
const aims = {
  startRatio: 1.5,
  firstRowsMs: 300,
  frameMs: 50,
  heapMb: 300,
  growthShare: 0.05,
  answerMs: 16,
} as const;

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Null: told for what it is. */
  readonly aim: number | null;
}
const rows: Row[] = [];

function add(what: string, value: number, unit: string, aim: number | null = null): void {
  rows.push({ what, value, unit, aim });
  process.stderr.write(`${what}: ${figure(value)} ${unit}\n`);
}

async function measureStart(work: string): Promise<void> {
  const bareFolder = await makeBareApp(work);
  const own: Start[] = [];
  const bare: Start[] = [];
  // Interleaved, and the first of each only warms the caches of the disk.
  for (let run = 0; run <= runs; run += 1) {
    for (const [program, usable, kept] of [
      [bareFolder, 'Ready', bare],
      [projectRoot, 'Use this computer', own],
    ] as const) {
      const started = await coldStart(program, usable);
      if (run > 0) kept.push(started);
    }
  }
  const medianOf = (all: readonly Start[], part: keyof Start) => median(all.map((one) => one[part]));
  for (const [part, unit] of [
    ['usableMs', 'ms'],
    ['cpuMs', 'ms of the processor'],
  ] as const) {
    const [a, b] = [medianOf(own, part), medianOf(bare, part)];
    add('start to a usable window', a, unit);
    add('start of a bare window with React', b, unit);
    add(`start, own / bare, by ${unit}`, a / b, '', part === 'usableMs' ? aims.startRatio : null);
  }
}

const lists = [
  ['Clients', '[role="tree"] [role="treeitem"]'],
  ['Tasks', '[role="grid"][aria-label="Tasks"] .grid-row'],
  ['Copies', '[role="grid"][aria-label="Copies"] .grid-row'],
] as const;

/** What is scrolled and searched in, a line of it, and a text that some lines have. */
const smooth = [
  { section: 'Clients', scrolled: '.tree', row: '.tree-item', typed: 'host12345' },
  { section: 'Tasks', scrolled: '.grid-scroll', row: '.grid-row', typed: 'data/12345' },
  { section: 'Copies', scrolled: '.grid-scroll', row: '.grid-row', typed: 'data/12345' },
] as const;

async function bigServer(work: string): Promise<void> {
  const sizes = {
    clients: Number(values.clients),
    tasks: Number(values.tasks),
    copies: Number(values.copies),
  };
  const server = await startBigServer(join(work, 'data'), sizes);
  const started = await start({ program: projectRoot, usable: 'Connect to a server' });
  const { page, close } = started;
  try {
    await connect(page, server.address);
    const sections = await page
      .locator('nav a')
      .evaluateAll((links) =>
        links.map((link) => decodeURIComponent(link.getAttribute('href')?.slice(1) ?? '')),
      );
    for (const [section, selector] of lists) {
      const times: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        await changeScreens(page, ['Directory'], 1);
        const work = await workDuring(started.app, async () => {
          times.push(await firstRowsMs(page, section, selector));
        });
        if (run === 0)
          add(`first rows of ${section}, the first time: work`, work.page.wholeMs, 'ms of the processor');
      }
      add(`first rows of ${section}, the first time`, times[0] ?? 0, 'ms', aims.firstRowsMs);
      add(`first rows of ${section}, median`, median(times), 'ms', aims.firstRowsMs);
    }
    const idle = await framesDuring(page, () => new Promise((resolve) => setTimeout(resolve, 3000)));
    add('nothing happens: longest frame', idle.longestMs, 'ms');
    add('nothing happens: 99 of 100 frames', idle.p99Ms, 'ms');
    for (const { section, scrolled, row, typed } of smooth) {
      await changeScreens(page, [section], 1);
      await smoothness(started, `${section}, scrolling`, () => scroll(page, scrolled, 5000));
      const search = page.getByRole('searchbox', { name: `Search ${section}` });
      await smoothness(started, `${section}, typing in the search`, async () => {
        await search.pressSequentially(typed, { delay: 90 });
        await search.fill('');
        await page.waitForFunction((selector) => document.querySelector(selector) !== null, row);
      });
    }
    await changeScreens(page, sections, sections.length * 2);
    const walked = await heapMb(page);
    add('heap of the page after all screens', walked, 'MB', aims.heapMb);
    const heldAtFirst = await heldMb(page);
    add('heap of the page after all screens, without compiled code', heldAtFirst, 'MB');
    // What is used often is compiled in the first few hundred, and that stays; a leak would go on.
    const warm = Number(values.warm);
    await changeScreens(page, sections, warm);
    await changeScreens(page, sections, sections.length);
    const before = await heapMb(page);
    add(`heap, growth in the first ${warm} screen changes`, before / walked - 1, '');
    const changes = Number(values.changes);
    await changeScreens(page, sections, changes);
    // Ends where it began: another screen holds other rows.
    await changeScreens(page, sections, sections.length);
    add(
      `heap, growth in ${changes} screen changes after them`,
      (await heapMb(page)) / before - 1,
      '',
      aims.growthShare,
    );
    add(
      `heap without compiled code, growth in all ${warm + changes} screen changes`,
      (await heldMb(page)) / heldAtFirst - 1,
      '',
      aims.growthShare,
    );
  } finally {
    await close();
    await server.stop();
  }
}

/** Frames as they come on this machine, and the work behind them in time of the processor. */
async function smoothness({ app, page }: Started, what: string, act: () => Promise<void>): Promise<void> {
  let frames: Frames | null = null;
  const work = await workDuring(app, async () => {
    frames = await framesDuring(page, act);
  });
  const { longestMs = 0, p99Ms = 0 } = frames ?? {};
  add(`${what}: longest frame`, longestMs, 'ms', aims.frameMs);
  add(`${what}: 99 of 100 frames`, p99Ms, 'ms');
  add(`${what}: longest work in one piece`, work.page.longestMs, 'ms of the processor', aims.frameMs);
}

async function connect(page: Page, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Connect to a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
  await dialog.getByLabel('Address').fill(address);
  await dialog.getByLabel('User name').fill('admin');
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: 60_000 });
}

async function manyServers(): Promise<void> {
  const count = Number(values.servers);
  const servers = await Promise.all(Array.from({ length: count }, startSmallServer));
  const { app, page, close } = await start({ program: projectRoot, usable: 'Connect to a server' });
  try {
    const alone = await answerTimes(page, 500);
    add("main's answer, no server: 99 of 100", shareOf(alone, 0.99), 'ms');
    add("main's answer, no server: longest", Math.max(...alone), 'ms');
    for (const { address } of servers) {
      await page.evaluate(
        async ([where, secret]) => {
          const { bridge } = window as unknown as {
            bridge: {
              invoke: (
                name: string,
                input: unknown,
              ) => Promise<{ ok: boolean; problem?: { message: string } }>;
            };
          };
          const outcome = await bridge.invoke('connections.add', {
            address: where,
            database: 'strongroom',
            userName: 'admin',
            authType: 'database',
            password: secret,
            remember: false,
          });
          if (!outcome.ok) throw new Error(outcome.problem?.message);
        },
        [address, password] as const,
      );
    }
    for (const server of servers.slice(0, Number(values.mute))) server.fallMute();
    // Looks and deadlines of the mute ones are under way while it is asked.
    await page.evaluate(() =>
      (window as unknown as { bridge: { invoke: (name: string) => Promise<unknown> } }).bridge.invoke(
        'fleet.lookNow',
      ),
    );
    let times: readonly number[] = [];
    const { main } = await workDuring(app, async () => {
      times = await answerTimes(page, 1500);
    });
    const about = `${count} servers, ${values.mute} mute`;
    add(`main's answer, ${about}: median`, median(times), 'ms', aims.answerMs);
    add(`main's answer, ${about}: 99 of 100`, shareOf(times, 0.99), 'ms', aims.answerMs);
    add(`main's answer, ${about}: longest`, Math.max(...times), 'ms', aims.answerMs);
    add(`main, ${about}: longest work in one piece`, main.longestMs, 'ms of the processor', aims.answerMs);
  } finally {
    await close();
    await Promise.all(servers.map((server) => server.close()));
  }
}

const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const isBeyond = ({ value, aim }: Row): boolean => aim !== null && value > aim;

function print(): void {
  if (values.json) {
    const told = rows.map((row) => ({ ...row, beyond: isBeyond(row) }));
    process.stdout.write(`${JSON.stringify({ suite: 'console', ...values, rows: told }, null, 2)}\n`);
    return;
  }
  for (const row of rows) {
    const aim = row.aim === null ? '' : `at most ${row.aim}${isBeyond(row) ? '  BEYOND' : ''}`;
    process.stdout.write(
      `${row.what.padEnd(54)} ${figure(row.value).padStart(7)} ${row.unit.padEnd(19)} ${aim}\n`,
    );
  }
}

/** True when this process was only there to start another one with a display. */
function startedUnderXvfb(): boolean {
  if (process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return false;
  const { status, error } = spawnSync(
    'xvfb-run',
    ['-a', process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    {
      stdio: 'inherit',
    },
  );
  if (error) throw new Error(`there is no display, and xvfb-run cannot be started: ${error.message}`);
  process.exitCode = status ?? 1;
  return true;
}

if (!startedUnderXvfb()) {
  const work = mkdtempSync(join(tmpdir(), 'strongroom-bench-console-'));
  const parts = { start: () => measureStart(work), big: () => bigServer(work), servers: manyServers };
  const wanted = values.part;
  if (wanted !== undefined && !Object.hasOwn(parts, wanted)) {
    throw new Error(`--part ${wanted}: there are ${Object.keys(parts).join(', ')}`);
  }
  try {
    for (const [name, part] of Object.entries(parts))
      if (wanted === undefined || wanted === name) await part();
    print();
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}
