import { type ByteString, baseName } from '../../platform/byte-path.ts';

/** What a resource is called in its copy: the last name of its path. */
export function resourceName(source: ByteString): ByteString {
  const name = baseName(source);
  // The whole file system has no name of its own, and a member needs one.
  return name === '' ? 'root' : name;
}
