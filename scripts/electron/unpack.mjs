import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** Takes one file out of a .tgz; `tar` is part of every system that runs npm packages of this size. */
export async function unpackTarEntry(archive, entry, destination) {
  const folder = dirname(destination);
  const result = spawnSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', entry], {
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) throw new Error(`tar could not take ${entry} out of ${archive}`);
}

/** Unpacks a zip with its modes. `nameOf(entry)` gives the name below `folder`, or undefined to leave the entry out. */
export async function unpackZip(archive, folder, nameOf) {
  const { default: yauzl } = await import('yauzl');
  const zip = await promisify(yauzl.open)(archive, { lazyEntries: true, autoClose: false });
  const openStream = promisify(zip.openReadStream.bind(zip));
  try {
    for await (const entry of entriesOf(zip)) {
      const name = nameOf(entry.fileName);
      if (name === undefined) continue;
      const path = join(folder, name);
      if (!path.startsWith(normalize(`${folder}/`)))
        throw new Error(`${archive} holds an entry outside itself: ${entry.fileName}`);
      if (name.endsWith('/')) {
        await mkdir(path, { recursive: true });
        continue;
      }
      await mkdir(dirname(path), { recursive: true });
      const mode = (entry.externalFileAttributes >>> 16) & 0o777;
      await pipeline(await openStream(entry), createWriteStream(path, { mode: mode === 0 ? 0o644 : mode }));
    }
  } finally {
    zip.close();
  }
}

async function* entriesOf(zip) {
  for (;;) {
    const entry = await new Promise((resolve, reject) => {
      zip.once('entry', resolve);
      zip.once('end', () => resolve(undefined));
      zip.once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (entry === undefined) return;
    yield entry;
  }
}
