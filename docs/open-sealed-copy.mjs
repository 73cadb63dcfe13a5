// Opens a copy that is encrypted with aes-256-gcm, with nothing but Node.js and the zstd program:
//   node open-sealed-copy.mjs KEY-FILE COPY-FOLDER archive  | zstd -dc | tar --xattrs --xattrs-include='*' -x
//   node open-sealed-copy.mjs KEY-FILE COPY-FOLDER manifest | zstd -dc
// (lz4 -dc in place of zstd -dc for archive.tar.lz4.sealed, and neither for archive.tar.sealed.)
import { execFileSync } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';

const [keyFile, copy, part] = process.argv.slice(2);
const clientKey = Buffer.from(/^[0-9a-f]{64}$/m.exec(readFileSync(keyFile, 'utf8'))[0], 'hex');
const lock = JSON.parse(readFileSync(`${copy}/key.json`, 'utf8'));
const dataKey = unwrap(lock.key);
// Of a copy whose making was cut off: [number of the frame before which the key counts, key].
const earlier = (lock.earlier ?? []).map(([end, wrapped]) => ({ end, dataKey: unwrap(wrapped) }));

const manifest = readFileSync(`${copy}/manifest.ndjson.zst.sealed`);
const trailer = manifest.subarray(-96);
const indexAt = Number(trailer.readBigUInt64LE(16));
const index = open(3, 0, manifest.subarray(indexAt, indexAt + trailer.readUInt32LE(24)));
const segments = lines(index).slice(1);
const opened = segments.map(([, , , offset, length], number) =>
  open(2, number, manifest.subarray(offset, offset + length)),
);
if (part === 'manifest') writeFileSync(1, Buffer.concat([...opened, index]));
else {
  const archive = openSync(`${copy}/${readdirSync(copy).find((name) => name.startsWith('archive.tar'))}`);
  const frames = segments.flatMap(([kind], number) => (kind === 'frames' ? lines(opened[number]) : []));
  for (const [frame, [length]] of frames.entries()) {
    const sealed = Buffer.alloc(length);
    readSync(archive, sealed);
    writeFileSync(1, open(1, frame, sealed));
  }
}

function unwrap(text) {
  const wrapped = Buffer.from(text, 'base64');
  return gcm(clientKey, wrapped.subarray(0, 12), wrapped.subarray(12), `strongroom-key 1 ${lock.seal}`);
}

function open(kind, number, sealed) {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(kind, 0);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  const key = (kind === 1 && earlier.find(({ end }) => number < end)?.dataKey) || dataKey;
  return gcm(key, nonce, sealed, `strongroom-seal 1 ${lock.seal} ${kind} ${number}`);
}

function gcm(key, nonce, sealed, bound) {
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}

function lines(zst) {
  const text = execFileSync('zstd', ['-dc'], { input: zst, maxBuffer: 2 ** 30 }).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
