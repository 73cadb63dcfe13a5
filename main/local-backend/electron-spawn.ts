import { utilityProcess } from 'electron';
import { fileThreads } from '../../contract/file-threads.ts';
import type { SpawnBackend } from './spawn.ts';

/** Runs the backend's entry in a process that belongs to Electron and ends with it, even by kill -9. */
export function createElectronSpawn(entry: string): SpawnBackend {
  return () => {
    const child = utilityProcess.fork(entry, [], {
      stdio: 'pipe',
      serviceName: 'Strongroom backend',
      // The runtime reads it before the backend could say so itself (backend/thread-pool.ts).
      env: { UV_THREADPOOL_SIZE: fileThreads, ...process.env },
    });
    return {
      pid: () => child.pid,
      post: (message) => child.postMessage(message),
      onMessage: (listener) => {
        child.on('message', listener);
      },
      onOutput: (listener) => {
        child.stdout?.on('data', listener);
        child.stderr?.on('data', listener);
      },
      onExit: (listener) => {
        child.once('exit', (code) => listener(code));
      },
      signal: (name) => {
        // A process id that is gone must not be signalled: it may be another's by now.
        const { pid } = child;
        if (pid === undefined) return;
        try {
          process.kill(pid, name);
        } catch {
          // It ended in this very moment; `exit` tells.
        }
      },
    };
  };
}
