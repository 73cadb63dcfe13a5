import { moduleParametersOf } from '../../contract/tasks/module-parameters.ts';
import { DeviceError } from '../engine/index.ts';
import type { SecretBox } from '../platform/secret-box.ts';

/** A parameter that is a secret, as the catalogue has it: only the key in the data directory opens it. */
interface Sealed {
  readonly sealed: string;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Secrets among the parameters of a module, each sealed for itself. An empty one means none was given, as answers have
 * it, so it leaves the one of before; null takes that away.
 */
export function sealSecrets(
  resourceType: string,
  given: Values,
  secrets: Pick<SecretBox, 'seal'>,
): Record<string, unknown> {
  const table = moduleParametersOf(resourceType);
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter?.type !== 'string' || parameter.form !== 'secret') return [[name, value]];
    if (value === '') return [];
    return [[name, typeof value === 'string' ? { sealed: secrets.seal(value, purposeOf(name)) } : value]];
  });
  return Object.fromEntries(entries);
}

/** The parameters as they may be shown: whoever has given a secret knows it, and nobody else is to. */
export function withoutSecrets(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSealed(value) ? '' : value]),
  );
}

/** The secret itself; empty when there is none. Throws a `DeviceError` when it was sealed with another key. */
export function openSecret(name: string, value: unknown, secrets: Pick<SecretBox, 'open'>): string {
  if (!isSealed(value)) return '';
  try {
    return secrets.open(value.sealed, purposeOf(name));
  } catch (error) {
    throw new DeviceError(
      'permission',
      `The ${name} cannot be opened, since the file secret-key in the data directory is another one than when it was given. Put that back, or give the ${name} again.`,
      { cause: error },
    );
  }
}

function purposeOf(name: string): string {
  return `module parameter ${name}`;
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Sealed).sealed === 'string';
}
