import { problemOf } from '../bridge.ts';
import { showNotice } from './shell-store.ts';

/** For work whose failure has no other place to be told. */
export function tellFailure(work: Promise<unknown>): void {
  work.catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }));
}
