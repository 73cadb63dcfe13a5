import type { ServerStanding } from '../../contract/desktop/health.ts';

type Bgra = readonly [number, number, number, number];

const door: Bgra = [0xe0, 0x8a, 0x3d, 0xff];
/** Told by shape as well as by colour: a triangle, a square, a ring; nothing where all is well. */
const marks: Readonly<Record<ServerStanding, { readonly colour: Bgra; readonly isIn: Shape } | null>> = {
  well: null,
  look: { colour: [0x1a, 0xa8, 0xf5, 0xff], isIn: (x, y) => y > 0 && Math.abs(x - 0.5) < y * 0.55 },
  lost: { colour: [0x30, 0x30, 0xe0, 0xff], isIn: (x, y) => x > 0.05 && y > 0.05 },
  unknown: { colour: [0xa0, 0xa0, 0xa0, 0xff], isIn: (x, y) => isRing(x, y) },
};
type Shape = (x: number, y: number) => boolean;

function isRing(x: number, y: number): boolean {
  const distance = Math.hypot(x - 0.5, y - 0.5);
  return distance < 0.5 && distance > 0.24;
}

/** A vault door, a ring with a hub, and the mark in its corner; drawn here so that no file can be missing. BGRA. */
export function trayPixels(size: number, standing: ServerStanding): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const middle = (size - 1) / 2;
  const markSize = size / 2;
  const markFrom = size - markSize;
  const mark = marks[standing];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const distance = Math.hypot(x - middle, y - middle) / middle;
      const inCorner = mark !== null && x >= markFrom - 1 && y >= markFrom - 1;
      const isDoor = !inCorner && (distance < 0.28 || (distance > 0.7 && distance <= 1));
      const isMark = inCorner && mark.isIn((x - markFrom + 0.5) / markSize, (y - markFrom + 0.5) / markSize);
      const colour = isMark ? mark.colour : door;
      if (isDoor || isMark) pixels.set(colour, (y * size + x) * 4);
    }
  }
  return pixels;
}
