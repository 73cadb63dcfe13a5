import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * Writes what every native module of the app is, by SHA-256; the app looks at its start whether they are still the same. Not on macOS:
 * signing changes the files afterwards, and seals them itself.
 */
export function writeNativeModules(resources) {
  if (process.platform === 'darwin') return;
  const files = readdirSync(join(resources, 'app'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(node|so|dll)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  if (files.length === 0) throw new Error(`there is no native module in ${resources}`);
  const list = files
    .map((file) => [
      relative(resources, file).replaceAll(sep, '/'),
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(
    join(resources, 'native-modules.json'),
    `${JSON.stringify(Object.fromEntries(list), null, 2)}\n`,
  );
}
