import { join } from 'node:path';

export type KeyringMode = 'unlocked' | 'locked' | 'no-service' | 'no-bus';

const script = join(import.meta.dirname, 'with-keyring.sh');

/** Program and arguments that run a command beside a private keyring; exit code 97 means that the lab did not come up. */
export function withKeyring(
  mode: KeyringMode,
  command: readonly string[],
  keepFolder?: string,
): readonly [string, ...string[]] {
  const modeArgs = mode === 'unlocked' ? [] : [`--${mode}`];
  const keepArgs = keepFolder === undefined ? [] : ['--keep', keepFolder];
  return [script, ...modeArgs, ...keepArgs, '--', ...command];
}
