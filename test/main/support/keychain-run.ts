import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { StartSecretChild } from '../../../main/secrets/keychain-caller.ts';
import { createKeychainStore } from '../../../main/secrets/keychain-store.ts';

/**
 * A program for the keyring lab: `node keychain-run.ts COMMAND…` runs get:NAME, set:NAME=VALUE, remove:NAME, probe and freeze
 * (stops the keyring's daemon) against the real keychain and prints one line of JSON for each.
 */
const start: StartSecretChild = () => {
  const child = fork(join(import.meta.dirname, '../../../main/secrets/secret-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    post: (request) => {
      child.send(request);
    },
    onMessage: (listener) => {
      child.on('message', listener);
    },
    onExit: (listener) => {
      child.once('exit', () => listener());
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
};

const store = createKeychainStore({
  start,
  service: 'strongroom-test',
  limitMs: Number(process.env.LIMIT_MS ?? 5_000),
});

async function run(command: string): Promise<unknown> {
  const [name = '', argument = ''] = command.split(/:(.*)/s);
  if (name === 'probe') return store.probe();
  if (name === 'get') return store.get(argument);
  if (name === 'remove') return store.remove(argument);
  if (name === 'freeze') return process.kill(Number(process.env.KEYRING_PID), 'SIGSTOP');
  if (name === 'thaw') return process.kill(Number(process.env.KEYRING_PID), 'SIGCONT');
  const [account = '', value = ''] = argument.split(/=(.*)/s);
  return store.set(account, value);
}

for (const command of process.argv.slice(2)) process.stdout.write(`${JSON.stringify(await run(command))}\n`);
store.close();
process.exit(0);
