import { createJsonFile } from '../platform/json-file.ts';
import { WindowPlace } from './window-place.ts';

/** Where the window stood; of so little weight that a damaged file is just forgotten. */
export function createPlaceFile(path: string) {
  return createJsonFile<WindowPlace | null>({
    path,
    fallback: null,
    read: (json) => ({ value: WindowPlace.safeParse(json).data ?? null }),
    onTrouble: () => undefined,
  });
}
