import { useEffect, useRef, useState } from 'react';

const firstMs = 5_000;
const longestMs = 60_000;

/**
 * Tries again by itself what failed, less and less often: a server that tells of its changes tells nothing of having come round.
 * `failure` is another object for each try that failed, null when all is well. Answers when the next try is, in epoch ms.
 */
export function useRetry(failure: object | null, retry: () => void): number | null {
  const tries = useRef(0);
  const latest = useRef(retry);
  latest.current = retry;
  const [retryAt, setRetryAt] = useState<number | null>(null);
  useEffect(() => {
    if (failure === null) {
      tries.current = 0;
      setRetryAt(null);
      return undefined;
    }
    const waitMs = Math.min(longestMs, firstMs * 2 ** tries.current);
    tries.current += 1;
    setRetryAt(Date.now() + waitMs);
    const timer = setTimeout(() => latest.current(), waitMs);
    return () => clearTimeout(timer);
  }, [failure]);
  return failure === null ? null : retryAt;
}
