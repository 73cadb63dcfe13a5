import { type RestoreRequest, startRestore } from '../../../backend/engine/index.ts';

/**
 * Restores in a process of its own, so that it can run with fewer rights. Its only argument is the request as JSON; prints the result as JSON.
 */
const request = JSON.parse(process.argv[2] ?? '{}') as RestoreRequest;
process.stdout.write(JSON.stringify(await startRestore(request).result));
