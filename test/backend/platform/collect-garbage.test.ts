import { afterEach, expect, it, vi } from 'vitest';
import { collectOldObjects, releaseOwnBuffer } from '../../../backend/platform/collect-garbage.ts';

afterEach(() => vi.unstubAllGlobals());

/** Of an object that nothing else holds. */
function forgotten(): WeakRef<object> {
  return new WeakRef({ text: 'x'.repeat(1000) });
}

it('collects what nobody needs any more, without a flag that would allow it', async () => {
  vi.stubGlobal('gc', undefined);
  const found = forgotten();
  // What was just made lives until the turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  await collectOldObjects();
  expect(found.deref()).toBeUndefined();
});

it('takes the call of the runtime where there is one', async () => {
  const gc = vi.fn();
  vi.stubGlobal('gc', gc);
  await collectOldObjects();
  expect(gc).toHaveBeenCalledWith({ type: 'major' });
});

it('gives a buffer back only when nothing else lies with it', () => {
  const own = new Uint8Array(4096);
  releaseOwnBuffer(own);
  expect(own.length).toBe(0);
  const part = new Uint8Array(new ArrayBuffer(4096), 0, 100);
  releaseOwnBuffer(part);
  expect(part.length).toBe(100);
});
