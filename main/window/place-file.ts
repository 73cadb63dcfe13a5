import { createJsonFile, type JsonFile } from '../platform/json-file.ts';
import { WindowPlace } from './window-place.ts';

export type PlaceFile = JsonFile<WindowPlace | null>;

/** Where the window stood; of so little weight that a damaged file is just forgotten. */
export function createPlaceFile(path: string): PlaceFile {
  return createJsonFile<WindowPlace | null>({
    path,
    fallback: null,
    read: (json) => ({ value: WindowPlace.safeParse(json).data ?? null }),
    onTrouble: () => undefined,
  });
}
