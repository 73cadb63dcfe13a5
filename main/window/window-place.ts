import { z } from 'zod';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const WindowPlace = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1).max(20_000),
  height: z.int().min(1).max(20_000),
  maximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof WindowPlace>;

export const smallest = { width: 960, height: 600 } as const;
const usual = { width: 1440, height: 900 } as const;
/** So much of the title bar must be reachable, else the window counts as lost. */
const mustShowPx = 80;

/** Where to open: as it was left, if that place still exists on some screen; else the usual size, centred. */
export function placeFor(
  saved: WindowPlace | null,
  screens: readonly Box[],
): Partial<Box> & { readonly width: number; readonly height: number } {
  const [first = { x: 0, y: 0, width: 1440, height: 900 }] = screens;
  const screen = saved && screens.find((one) => isReachable(saved, one));
  if (!saved || !screen)
    return { width: Math.min(usual.width, first.width), height: Math.min(usual.height, first.height) };
  const width = Math.min(Math.max(saved.width, smallest.width), screen.width);
  const height = Math.min(Math.max(saved.height, smallest.height), screen.height);
  const isWhole = screens.some((one) => isWithin({ x: saved.x, y: saved.y, width, height }, one));
  // What lies partly beside all screens, or on two of them, keeps its place only while it has its size.
  if (isWhole || (width === saved.width && height === saved.height)) {
    return { x: saved.x, y: saved.y, width, height };
  }
  return {
    x: Math.min(Math.max(saved.x, screen.x), screen.x + screen.width - width),
    y: Math.min(Math.max(saved.y, screen.y), screen.y + screen.height - height),
    width,
    height,
  };
}

function isWithin(place: Box, screen: Box): boolean {
  return (
    place.x >= screen.x &&
    place.y >= screen.y &&
    place.x + place.width <= screen.x + screen.width &&
    place.y + place.height <= screen.y + screen.height
  );
}

function isReachable(place: Box, screen: Box): boolean {
  const shownPx = Math.min(place.x + place.width, screen.x + screen.width) - Math.max(place.x, screen.x);
  const topIsOn = place.y >= screen.y - 1 && place.y < screen.y + screen.height - mustShowPx;
  return shownPx >= mustShowPx && topIsOn;
}
