/** For `UV_THREADPOOL_SIZE` of the backend: main starts it with that, and started by hand it sets it itself (backend/thread-pool.ts). */
export const fileThreads = '64';
