import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixture, makeFixture } from './fixture.ts';

const EMPTY_FOLDERS = 10_000;
// Long names make the lines of the list outgrow a slot with fewer folders.
const NAME_FILL = 'x'.repeat(150);
const PLAIN_BYTES = 64 * 1_048_576;

let fixture: Fixture | null = null;

afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

describe('a backup of more than its buffers hold', () => {
  it('keeps the whole file list of very many empty folders', { timeout: 60_000 }, async () => {
    fixture = await makeFixture('empty-folders');
    const source = path.join(fixture.folder, 'source');
    for (let i = 0; i < EMPTY_FOLDERS; i += 1)
      fs.mkdirSync(path.join(source, `${i} ${NAME_FILL}`), { recursive: true });
    const copy = await fixture.backUp(source);
    expect(copy.totals.folders).toBe(EMPTY_FOLDERS + 1);
    expect(await fixture.verify(copy)).toMatchObject({ status: 'trusted', findings: [] });
    const destination = path.join(fixture.folder, 'restored');
    await fixture.restore(copy, destination);
    expect(fs.readdirSync(path.join(destination, 'source')).sort()).toEqual(fs.readdirSync(source).sort());
  });

  it('comes to its end without compression, with far more frames than slots', {
    timeout: 60_000,
  }, async () => {
    fixture = await makeFixture('plain-frames');
    const source = path.join(fixture.folder, 'source');
    fs.mkdirSync(source);
    fs.writeFileSync(path.join(source, 'big'), Buffer.alloc(PLAIN_BYTES, 'plain'));
    const copy = await fixture.backUp(source, 'None');
    expect(copy.archiveBytes).toBeGreaterThan(PLAIN_BYTES);
    expect(await fixture.verify(copy)).toMatchObject({ status: 'trusted', findings: [] });
  });
});
