import { fileThreads } from '../contract/file-threads.ts';

/**
 * Calls on files that do not block the program wait in threads of a pool, four unless Node is told otherwise before the
 * first one. A call on a mount that hangs holds its thread until the mount answers: four storages of one file server that
 * went away would stop all others, the log, and the sign-in. So there are enough for each storage, tape drive and portal of
 * a large server to hang; threads that wait cost nothing. To be imported before anything else.
 *
 * Node 20 reads the figure before it runs this, so there it has to stand in the environment.
 */
process.env.UV_THREADPOOL_SIZE ??= fileThreads;
