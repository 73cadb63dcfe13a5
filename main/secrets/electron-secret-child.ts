import { utilityProcess } from 'electron';
import type { StartSecretChild } from './keychain-caller.ts';

export function createElectronSecretChild(entry: string): StartSecretChild {
  return () => {
    const child = utilityProcess.fork(entry, [], { stdio: 'ignore', serviceName: 'Strongroom keychain' });
    return {
      post: (request) => child.postMessage(request),
      onMessage: (listener) => {
        child.on('message', listener);
      },
      onExit: (listener) => {
        child.once('exit', () => listener());
      },
      kill: () => {
        const { pid } = child;
        if (pid === undefined) return void child.kill();
        try {
          // It may hang in a call of the system that no polite signal ends.
          process.kill(pid, 'SIGKILL');
        } catch {
          // It is gone already.
        }
      },
    };
  };
}
