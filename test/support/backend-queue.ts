import { type BackendProcess, loginAt, spawnBackend } from './backend.ts';
import { type Queue, queueOf } from './queue.ts';

const password = 'correct horse battery';

/** A backend as a process of its own, which can be killed at once, and the first superuser's look at its tasks. */
export function spawnWithQueue(dataDir: string): {
  readonly backend: BackendProcess;
  readonly queue: Promise<Queue>;
} {
  const backend = spawnBackend({ dataDir, env: { STRONGROOM_ADMIN_PASSWORD: password } });
  const queue = backend.ready.then(async ({ url }) => queueOf(await loginAt(url, 'admin', password)));
  return { backend, queue };
}
