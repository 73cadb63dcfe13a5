import { ensureBuilt } from '../support/build-parts.mjs';

/** Before any test: tests start the backend, and its worker threads, as they are built from what the sources say now. */
export async function setup() {
  await ensureBuilt(['backend']);
}
