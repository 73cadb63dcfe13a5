import { useEffect, useRef, useState } from 'react';

/** On a machine that never rests it is drawn all the same. */
const patienceMs = 100;

/**
 * The value as it was when the window last had nothing else to do: for what is drawn but not seen. It follows `value` once a frame has been
 * shown with it, however often that changes meanwhile.
 */
export function useLater<T>(value: T): T {
  const [later, setLater] = useState(value);
  const latest = useRef(value);
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => {
    latest.current = value;
    if (value === later || stop.current !== null) return;
    stop.current = afterFrame(() => {
      stop.current = null;
      setLater(latest.current);
    });
  }, [value, later]);
  useEffect(
    () => () => {
      stop.current?.();
      stop.current = null;
    },
    [],
  );
  return later;
}

/** Answers what calls it off. Resting alone would not do: there is a rest before the frame too. */
function afterFrame(act: () => void): () => void {
  let idle: number | undefined;
  const frame = requestAnimationFrame(() => {
    idle = requestIdleCallback(act, { timeout: patienceMs });
  });
  return () => {
    cancelAnimationFrame(frame);
    if (idle !== undefined) cancelIdleCallback(idle);
  };
}
