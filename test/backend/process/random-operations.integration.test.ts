import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { effort } from '../../support/effort.ts';
import { World } from '../../support/random/world.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

/** `STRONGROOM_RANDOM_OPERATIONS=1000 STRONGROOM_RANDOM_SEED=7` runs others than these. */
const operations = Number(process.env.STRONGROOM_RANDOM_OPERATIONS ?? effort(60, 100));
const seed = Number(process.env.STRONGROOM_RANDOM_SEED ?? 20_261_128);

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let world: World | null = null;

beforeEach(async () => {
  folder = await makeTempDir('random');
});
afterEach(async () => {
  await world?.lab.kill();
  execFileSync('rm', ['-rf', '--', folder.path]);
});

it(`${operations} random operations with kill -9 in between: each copy that is listed comes back as its tree was, nothing is lost, nothing is left over (cases 63, 85, 101)`, {
  timeout: 120_000 + operations * 6_000,
}, async () => {
  const opened = await World.open(folder.path, seed);
  world = opened;
  const { figures, story, lab } = opened;
  try {
    await opened.run(operations);
  } catch (error) {
    const told = [...story.slice(-80), lab.stderr().split('\n').slice(-30).join('\n')].join('\n');
    throw new Error(
      `seed ${seed}, operation ${figures.operations} of ${operations}; run it again with STRONGROOM_RANDOM_SEED=${seed} STRONGROOM_RANDOM_OPERATIONS=${operations}\n${told}`,
      { cause: error },
    );
  }
  // It was no idle run.
  expect(figures.restored).toBeGreaterThan(operations / 20);
  expect(figures.kills).toBeGreaterThan(operations / 50);
  expect(await lab.stop()).toBe(0);
  process.stdout.write(`seed ${seed}: ${JSON.stringify(figures)}\n`);
});
