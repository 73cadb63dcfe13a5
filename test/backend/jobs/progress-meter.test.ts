import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgressMeter, type ProgressReport } from '../../../backend/jobs/progress-meter.ts';

const report = (part: Partial<ProgressReport>): ProgressReport => ({
  bytesDone: 0,
  bytesTotal: null,
  filesDone: 0,
  filesTotal: null,
  currentPath: null,
  transferredBytes: 0,
  ...part,
});

describe('progress of a task (case 81)', () => {
  it('estimates nothing while the total is unknown', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 0 }), 0);
    meter.report(report({ bytesDone: 5_000_000 }), 5_000);
    expect(meter.view(5_000)).toMatchObject({
      percent: 0,
      remainingSeconds: null,
      bytesPerSecond: 1_000_000,
    });
  });

  it('names the remaining time once the total is known and the speed has been watched', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 0, bytesTotal: 10_000 }), 0);
    meter.report(report({ bytesDone: 1_000, bytesTotal: 10_000 }), 1_000);
    expect(meter.view(1_000).remainingSeconds).toBeNull();
    meter.report(report({ bytesDone: 4_000, bytesTotal: 10_000 }), 4_000);
    expect(meter.view(4_000)).toMatchObject({ percent: 40, remainingSeconds: 6, bytesPerSecond: 1_000 });
  });

  it('estimates by what arrives while the count of what is done waits for a frame on its way', () => {
    const meter = createProgressMeter();
    for (const [atMs, transferredBytes] of [
      [0, 0],
      [5_000, 5_000],
      [10_000, 10_000],
    ] as const)
      meter.report(report({ bytesDone: 10_000, transferredBytes, bytesTotal: 110_000 }), atMs);
    expect(meter.view(10_000)).toMatchObject({ bytesPerSecond: 1_000, remainingSeconds: 100 });
  });

  it('shows the speed of what arrives, not of what is buffered on the way', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 8_000, transferredBytes: 0, bytesTotal: 20_000 }), 0);
    meter.report(report({ bytesDone: 9_000, transferredBytes: 1_000, bytesTotal: 20_000 }), 1_000);
    expect(meter.view(1_000).bytesPerSecond).toBe(1_000);
    meter.report(report({ bytesDone: 12_000, transferredBytes: 4_000, bytesTotal: 20_000 }), 4_000);
    expect(meter.view(4_000)).toMatchObject({ bytesPerSecond: 1_000, remainingSeconds: 8 });
  });

  it('never falls back when the total grows', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 500, bytesTotal: 1_000 }), 0);
    meter.report(report({ bytesDone: 600, bytesTotal: 100_000 }), 1_000);
    expect(meter.view(1_000).percent).toBe(50);
  });

  it('stays at 99 percent and estimates nothing when more is done than was counted', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 0, bytesTotal: 1_000 }), 0);
    meter.report(report({ bytesDone: 4_000, bytesTotal: 1_000 }), 4_000);
    expect(meter.view(4_000)).toMatchObject({ percent: 99, remainingSeconds: null });
  });

  it('measures a tree of empty files by their number', () => {
    const meter = createProgressMeter();
    meter.report(report({ filesDone: 3, filesTotal: 4, bytesTotal: 0 }), 0);
    expect(meter.view(0).percent).toBe(75);
  });

  it('says speed 0 and no remaining time after a stall of ten minutes', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 0, bytesTotal: 10_000 }), 0);
    meter.report(report({ bytesDone: 4_000, bytesTotal: 10_000 }), 4_000);
    expect(meter.view(604_000)).toMatchObject({ bytesPerSecond: 0, remainingSeconds: null, percent: 40 });
  });

  it('leaves a pause out of the speed', () => {
    const meter = createProgressMeter();
    meter.report(report({ bytesDone: 0, bytesTotal: 10_000 }), 0);
    meter.report(report({ bytesDone: 3_000, bytesTotal: 10_000 }), 3_000);
    meter.hold(3_000);
    expect(meter.view(500_000)).toMatchObject({ bytesPerSecond: 0, remainingSeconds: null });
    meter.release(1_003_000);
    meter.report(report({ bytesDone: 4_000, bytesTotal: 10_000 }), 1_004_000);
    expect(meter.view(1_004_000).bytesPerSecond).toBe(1_000);
  });

  it('keeps percent and remaining time in bounds whatever is reported', () => {
    const step = fc.record({
      bytes: fc.integer({ min: 0, max: 1e12 }),
      total: fc.option(fc.integer({ min: 0, max: 1e12 })),
      files: fc.integer({ min: 0, max: 1e6 }),
      filesTotal: fc.option(fc.integer({ min: 0, max: 1e6 })),
      waitMs: fc.integer({ min: 0, max: 700_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const meter = createProgressMeter();
        let nowMs = 0;
        let before = 0;
        for (const { bytes, total, files, filesTotal, waitMs } of steps) {
          nowMs += waitMs;
          meter.report(report({ bytesDone: bytes, bytesTotal: total, filesDone: files, filesTotal }), nowMs);
          const view = meter.view(nowMs);
          expect(view.percent).toBeGreaterThanOrEqual(before);
          expect(view.percent).toBeLessThanOrEqual(99);
          expect(view.bytesPerSecond).toBeGreaterThanOrEqual(0);
          if (view.remainingSeconds !== null) expect(view.remainingSeconds).toBeGreaterThanOrEqual(0);
          before = view.percent;
        }
      }),
    );
  });
});
