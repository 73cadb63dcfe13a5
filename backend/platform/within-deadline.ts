/** A hung network mount must not hang whoever asks about it. */
const usualMs = 2_000;

/** The answer about something on a disk, or `otherwise` when it does not come in time. */
export async function withinDeadline<T>(answer: Promise<T>, otherwise: T, deadlineMs = usualMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<T>((resolve) => {
    // A process that was held up itself comes to its timers first: an answer that lies there already counts.
    timer = setTimeout(() => setImmediate(() => resolve(otherwise)), deadlineMs);
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
