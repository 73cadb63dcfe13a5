import fs from 'node:fs';
import type { ByteString } from '../../platform/byte-path.ts';

/** Names of users and groups from the system's own files; an unknown number has no name. */
export class OwnerNames {
  readonly #names: ReadonlyMap<number, ByteString>;
  readonly used = new Map<number, ByteString>();

  constructor(file: '/etc/passwd' | '/etc/group', isNumericOnly: boolean) {
    this.#names = isNumericOnly ? new Map() : readNames(file);
  }

  nameOf(id: number): ByteString {
    const name = this.#names.get(id) ?? '';
    if (name !== '') this.used.set(id, name);
    return name;
  }
}

function readNames(file: string): ReadonlyMap<number, ByteString> {
  const names = new Map<number, ByteString>();
  for (const line of readText(file).split('\n')) {
    const [name, , id] = line.split(':');
    if (name === undefined || id === undefined || !/^\d+$/.test(id) || names.has(Number(id))) continue;
    names.set(Number(id), name);
  }
  return names;
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    // A system without these files has numbers only, and those are kept in any case.
    return '';
  }
}
