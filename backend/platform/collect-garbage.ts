import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * Asks V8 for a quick collection of young objects. Buffers that native code makes weigh megabytes, but V8 sees only
 * their small handles and lets them pile up; a thread that makes one after the other calls this now and then.
 */
export const collectYoungObjects: () => void = loadCollector();

function loadCollector(): () => void {
  v8.setFlagsFromString('--expose-gc');
  const gc: unknown = vm.runInNewContext('typeof gc === "function" ? gc : undefined');
  v8.setFlagsFromString('--no-expose-gc');
  // A runtime without it only uses more memory.
  if (typeof gc !== 'function') return () => undefined;
  return () => gc({ type: 'minor' });
}
