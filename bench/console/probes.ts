import type { Page } from '@playwright/test';

/** How smoothly something went: times between frames. */
export interface Frames {
  readonly count: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

interface Kept {
  frames: number[];
  stop: () => void;
}
declare global {
  interface Window {
    kept?: Kept;
  }
}

/** Watches every frame of the page while `work` is done. */
export async function framesDuring(page: Page, work: () => Promise<void>): Promise<Frames> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    let isOn = true;
    const tick = (now: number): void => {
      frames.push(now - last);
      last = now;
      if (isOn) requestAnimationFrame(tick);
    };
    requestAnimationFrame((now) => {
      last = now;
      requestAnimationFrame(tick);
    });
    window.kept = {
      frames,
      stop: () => {
        isOn = false;
      },
    };
  });
  await work();
  const frames = await page.evaluate(() => {
    const { kept } = window;
    if (kept === undefined) throw new Error('nothing was watched');
    kept.stop();
    return kept.frames;
  });
  return {
    count: frames.length,
    p99Ms: shareOf(frames, 0.99),
    longestMs: Math.max(0, ...frames),
  };
}

/** Milliseconds from the click on a section until the first of `rows` is drawn. */
export function firstRowsMs(page: Page, section: string, rows: string): Promise<number> {
  return page.evaluate(
    ([name, selector]) =>
      new Promise<number>((resolve, reject) => {
        const link = document.querySelector<HTMLElement>(`nav a[href="#${encodeURIComponent(name)}"]`);
        if (link === null) {
          reject(new Error(`there is no section ${name}`));
          return;
        }
        const from = performance.now();
        link.click();
        const look = (): void => {
          const isThere = document.querySelector('main h1')?.textContent === name;
          if (isThere && document.querySelector(selector) !== null) resolve(performance.now() - from);
          else if (performance.now() - from > 60_000) reject(new Error(`${name} shows no rows`));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    [section, rows] as const,
  );
}

/** Scrolls a list by wheel-like steps for `ms`, then from end to end. */
export function scroll(page: Page, selector: string, ms: number): Promise<void> {
  return page.evaluate(
    ([where, forMs]) =>
      new Promise<void>((resolve, reject) => {
        const list = document.querySelector(where);
        if (list === null) {
          reject(new Error(`there is nothing to scroll at ${where}`));
          return;
        }
        const from = performance.now();
        let step = 0;
        const tick = (): void => {
          step += 1;
          const isLeap = step % 40 === 0;
          list.scrollTop = isLeap ? ((step / 40) % 4) * (list.scrollHeight / 4) : list.scrollTop + 120;
          if (performance.now() - from < forMs) requestAnimationFrame(tick);
          else resolve();
        };
        tick();
      }),
    [selector, ms] as const,
  );
}

/** Goes from section to section, as fast as each is drawn; `changes` in all. */
export function changeScreens(page: Page, sections: readonly string[], changes: number): Promise<void> {
  return page.evaluate(
    ([names, count]) =>
      new Promise<void>((resolve) => {
        let done = 0;
        const next = (): void => {
          const name = names[done % names.length] ?? '';
          document.querySelector<HTMLElement>(`nav a[href="#${encodeURIComponent(name)}"]`)?.click();
          const from = performance.now();
          const look = (): void => {
            const isThere =
              document.querySelector('main h1')?.textContent === name &&
              document.querySelector('[aria-busy="true"]') === null;
            // A list that never comes is counted as a change as well; what it costs is seen elsewhere.
            if (!isThere && performance.now() - from < 2000) {
              requestAnimationFrame(look);
              return;
            }
            done += 1;
            if (done < count) requestAnimationFrame(next);
            else resolve();
          };
          requestAnimationFrame(look);
        };
        next();
      }),
    [sections, changes] as const,
  );
}

/** Megabytes that live in the page's heap, after what is dead was collected. */
export async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1024 / 1024;
  } finally {
    await session.detach();
  }
}

/**
 * The same without what the engine compiled of the page's code, which it does for hundreds of screen changes: what the page itself
 * holds, and would leak.
 */
export async function heldMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  try {
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  } finally {
    await session.detach();
  }
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const code = types[typeAt]?.indexOf('code') ?? -1;
  if (typeAt < 0 || sizeAt < 0 || code < 0) throw new Error('the snapshot of the heap has another form');
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (nodes[at + typeAt] !== code) bytes += nodes[at + sizeAt] ?? 0;
  }
  return bytes / 1024 / 1024;
}

interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly string[][] };
  };
  readonly nodes: readonly number[];
}

/** How long main takes to answer the window, asked every 10 ms; milliseconds. */
export function answerTimes(page: Page, asks: number): Promise<readonly number[]> {
  return page.evaluate(async (count) => {
    const { bridge } = window as unknown as { bridge: { invoke: (name: string) => Promise<unknown> } };
    const times: number[] = [];
    for (let ask = 0; ask < count; ask += 1) {
      const from = performance.now();
      await bridge.invoke('settings.get');
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return times;
  }, asks);
}

export function shareOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
