// Loaded before a program (`--import`): notes how long its main thread lets nobody else have a turn. Counted is the time of the
// processor that the thread takes, so a machine that is busy elsewhere adds nothing. What is written to the file
// STRONGROOM_LOOP_FILE is one line of JSON for each turn that is longer than STRONGROOM_LOOP_MS.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const file = process.env.STRONGROOM_LOOP_FILE;
  const leastMs = Number(process.env.STRONGROOM_LOOP_MS);
  const everyMs = 2;
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const note = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  let before = spentMs();
  let turns = 0;
  const timer = setInterval(() => {
    const now = spentMs();
    const tookMs = now - before;
    turns += 1;
    if (tookMs >= leastMs) note({ kind: 'long', atMs: Date.now(), tookMs });
    before = spentMs();
  }, everyMs);
  timer.unref();
  setInterval(() => {
    note({ kind: 'watching', atMs: Date.now(), turns });
    turns = 0;
    before = spentMs();
  }, 1000).unref();
  // What is not seen now would not be seen later either.
  setTimeout(() => {
    const endMs = spentMs() + 2 * leastMs;
    while (spentMs() < endMs);
  }, 100);
}
