import { url as inspectorUrl } from 'node:inspector';
import { setTimeout } from 'node:timers/promises';
import { app } from 'electron';

/** A driver that does not say that it is there keeps nobody waiting for longer. */
const mostMs = 1_500;

/**
 * A program that drives the window through both debugging ports (Playwright) waits for ever for a page that begins while it
 * attaches, for it misses the beginning. It calls a function of this name once it has attached, so the window is opened then. Without
 * debugging ports, which a packaged app does not open, nobody waits. To be called as early as can be, and awaited as late.
 */
export async function driverAttached(): Promise<void> {
  if (inspectorUrl() === undefined || !app.commandLine.hasSwitch('remote-debugging-port')) return;
  const driven = globalThis as { __playwright_run?: () => void };
  // It was loaded before the app and holds `ready` back by itself.
  if (driven.__playwright_run !== undefined) return;
  const called = new Promise<void>((resolve) => {
    driven.__playwright_run = resolve;
  });
  await Promise.race([called, setTimeout(mostMs)]);
}
