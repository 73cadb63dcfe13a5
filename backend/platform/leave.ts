import { loadKoffi } from './native.ts';

/**
 * Ends the process with this code. Node waits at its exit for all its threads, so that one whose file call does not come
 * back (a mount whose server is away) would hold it for ever: when there is such a call, or `isLate` says that something
 * hangs, the system ends the process at once. All that has to be kept is on the disk by then.
 */
export function leave(exitCode: number, { isLate }: { readonly isLate: boolean }): never {
  if (isLate || hasOpenFileCall()) leaveAtOnce(exitCode);
  process.exit(exitCode);
}

function hasOpenFileCall(): boolean {
  return process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'));
}

function leaveAtOnce(exitCode: number): void {
  if (process.platform === 'win32') return;
  try {
    loadKoffi().load(null).func('void _exit(int)')(exitCode);
  } catch {
    // Without koffi for this system the process ends in the usual way, as soon as its threads do.
  }
}
