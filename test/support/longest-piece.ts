// Not in the Node of the application; there all threads of the process are counted.
const cpuUsage = process.threadCpuUsage?.bind(process) ?? process.cpuUsage.bind(process);

/**
 * Does `work` and answers the most CPU time in milliseconds that this thread spent without a turn for others. Not the
 * time on the clock: that would measure what else the machine does.
 */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let isOver = false;
  let before = cpuUsage();
  const look = (): void => {
    const { user, system } = cpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = cpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    look();
  }
  return longestMs;
}
