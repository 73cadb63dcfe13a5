import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codecFor } from '../../../backend/engine/archive/codec.ts';
import { startRestore, startVerify } from '../../../backend/engine/index.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { type CraftedRow, craftCopy } from './crafted-copy.ts';

const files = 80;
const fileBytes = 10_000;

it('of a frame that was made wrong all comes back that can be decoded, and the rest is told', async () => {
  const { path: folder, remove } = await makeTempDir('wrong-frame');
  try {
    const contents = Array.from({ length: files }, () => randomBytes(fileBytes / 2).toString('hex'));
    const rows = contents.map((content, i): CraftedRow => ({ name: `file ${10 + i}`, type: 'f', content }));
    const top: CraftedRow = { name: 'source', type: 'd', childFolderId: 1 };
    // It announces all, and ends after 700,000 bytes: its hash is right.
    const cut = (tar: Buffer) => {
      const frame = Buffer.from(codecFor('Optimal').encode(tar.subarray(0, 700_000)));
      frame.writeUInt32LE(tar.length, 5);
      return frame;
    };
    const copyId = craftCopy(
      folder,
      [
        { folderId: 0, parentId: 0, name: '', rows: [top] },
        { folderId: 1, parentId: 0, name: 'source', rows },
      ],
      {},
      cut,
    );
    const destination = path.join(folder, 'out');
    const request = {
      storagePath: folder,
      copyId,
      destination,
      onExisting: 'replace',
      forbidden: [],
    } as const;
    const restored = await startRestore(request).result;
    const { status, findings } = await startVerify({ storagePath: folder, copyId }).result;
    const whole = contents.flatMap((content, i) => {
      const file = path.join(destination, 'source', `file ${10 + i}`);
      if (!fs.existsSync(file)) return [];
      expect(fs.readFileSync(file, 'latin1')).toBe(content);
      return [i];
    });
    // Each with a header of 512 bytes, and room up to the next 512.
    const there = Math.floor(524_288 / (fileBytes + 512 + 240));
    expect(whole.length).toBeGreaterThanOrEqual(there);
    expect(whole).toEqual(whole.map((_, i) => i));
    const lost = contents.slice(whole.length).map((_, i) => `/resource/file ${10 + whole.length + i}`);
    expect(lost.length).toBeGreaterThan(9);
    expect(restored.problems.map((problem) => problem.path)).toEqual(lost);
    expect(status).toBe('suspicious');
    expect(findings.map(({ item }) => item)).toEqual([...lost, 'end of the archive']);
  } finally {
    await remove();
  }
});
