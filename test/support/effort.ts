/**
 * How much the tests with many rounds do. `npm test` does so many that it ends within half an hour on two slow cores;
 * `STRONGROOM_TEST_EFFORT=all npm test` does all of them, as the nightly run does.
 */
const isAll = process.env.STRONGROOM_TEST_EFFORT === 'all';

export function effort(usual: number, all: number): number {
  return isAll ? all : usual;
}

/** Which of `count` calls fails, one after the other: all of them, or each `step`-th from a random one on. */
export function callsToFail(count: number, step: number): readonly number[] {
  const each = effort(step, 1);
  const offset = Math.floor(Math.random() * each);
  return Array.from({ length: count }, (_, index) => index + 1).filter((call) => call % each === offset);
}
