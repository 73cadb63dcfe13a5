import { type ChildProcess, fork } from 'node:child_process';
import type { SpawnBackend } from '../../../main/local-backend/spawn.ts';

/** Runs a fixture in a real process of plain Node, as Electron's utility process runs the backend. */
export function createForkSpawn(path: string, args: readonly string[] = []) {
  const children: ChildProcess[] = [];
  const spawn: SpawnBackend = () => {
    const child = fork(path, [...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    children.push(child);
    return {
      pid: () => child.pid,
      post: (message) => {
        child.send(message as object);
      },
      onMessage: (listener) => {
        child.on('message', listener);
      },
      onOutput: (listener) => {
        child.stdout?.on('data', listener);
        child.stderr?.on('data', listener);
      },
      onExit: (listener) => {
        child.once('close', (code) => listener(code));
      },
      signal: (name) => {
        child.kill(name);
      },
    };
  };
  return {
    spawn,
    children,
    killAll: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
