import { crc32, deflateSync } from 'node:zlib';

export const iconSizes = [16, 24, 32, 48, 64, 128, 256, 512];

const steel = [0x2b, 0x3a, 0x55];
const brass = [0xf0, 0xb4, 0x4e];
const samples = 4;

/** The app's icon, drawn: a vault door, that is a rounded square with a ring and a hub with four spokes. */
export function iconPng(size) {
  const rows = [];
  for (let y = 0; y < size; y++) {
    const row = Buffer.alloc(1 + size * 4);
    for (let x = 0; x < size; x++) row.set(pixel(x, y, size), 1 + x * 4);
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits a channel, red green blue alpha.
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The mean of a few points of the pixel, so that edges are smooth. */
function pixel(x, y, size) {
  const sum = [0, 0, 0, 0];
  for (let i = 0; i < samples * samples; i++) {
    const u = ((x + ((i % samples) + 0.5) / samples) / size) * 2 - 1;
    const v = ((y + (Math.floor(i / samples) + 0.5) / samples) / size) * 2 - 1;
    const colour = colourAt(u, v);
    if (colour === null) continue;
    for (let c = 0; c < 3; c++) sum[c] += colour[c];
    sum[3] += 1;
  }
  if (sum[3] === 0) return [0, 0, 0, 0];
  return [
    ...sum.slice(0, 3).map((value) => Math.round(value / sum[3])),
    Math.round((sum[3] / samples ** 2) * 255),
  ];
}

function colourAt(u, v) {
  const half = 0.94;
  const corner = 0.3;
  const dx = Math.max(0, Math.abs(u) - (half - corner));
  const dy = Math.max(0, Math.abs(v) - (half - corner));
  if (Math.hypot(dx, dy) > corner) return null;
  const distance = Math.hypot(u, v);
  const isRing = distance > 0.58 && distance < 0.74;
  const isHub = distance < 0.2;
  const isSpoke = distance < 0.6 && (Math.abs(u) < 0.055 || Math.abs(v) < 0.055);
  return isRing || isHub || isSpoke ? brass : steel;
}

function chunk(type, data) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
