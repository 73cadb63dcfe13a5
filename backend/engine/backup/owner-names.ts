import type { ByteString } from '../../platform/byte-path.ts';
import { readOwnerIds } from '../owner-ids.ts';

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
  for (const [name, id] of readOwnerIds(file)) if (!names.has(id)) names.set(id, name);
  return names;
}
