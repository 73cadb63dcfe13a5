import type { LibraryTree } from '../../../contract/tape-libraries/tape-library.ts';
import { t } from '../../texts/index.ts';
import type { TreeNode } from '../../ui/index.ts';
import type { LibraryBoard } from './board-data.ts';
import type { Place, PlaceKind } from './board-rules.ts';
import { driveStatusWord, statusWord } from './library-words.ts';
import { placeName, placeState } from './place-words.ts';

/** What a line of the tree stands for. */
export type TreeTarget =
  | { readonly kind: 'server' }
  | { readonly kind: 'library'; readonly libraryId: number }
  | { readonly kind: 'robot'; readonly libraryId: number }
  | { readonly kind: 'group'; readonly libraryId: number; readonly places: PlaceKind }
  | { readonly kind: 'drive'; readonly libraryId: number; readonly driveId: number }
  | { readonly kind: 'place'; readonly libraryId: number; readonly address: number };

export interface TreeLine extends TreeNode {
  readonly target: TreeTarget;
  /** Word at the right of the line: a state or a count. */
  readonly note: string;
}

type Entry = LibraryTree['libraries'][number];

/**
 * Media servers with their libraries, and below these robot, drives and places. Places are known of the library on the
 * board only; those of the others are opened by choosing them. Pure.
 */
export function treeLines(
  libraries: readonly Entry[],
  shown: LibraryBoard | null,
  isOpen: (id: string) => boolean,
): readonly TreeLine[] {
  const servers = [...new Set(libraries.map(({ library }) => library.media_server))].sort();
  return servers.flatMap((server) => {
    const id = `server ${server}`;
    const own = libraries.filter(({ library }) => library.media_server === server);
    const head = line({ id, name: server, level: 1, target: { kind: 'server' }, isExpanded: isOpen(id) });
    return isOpen(id) ? [head, ...own.flatMap((entry) => libraryLines(entry, shown, isOpen))] : [head];
  });
}

function libraryLines(
  entry: Entry,
  shown: LibraryBoard | null,
  isOpen: (id: string) => boolean,
): readonly TreeLine[] {
  const { library } = entry;
  const libraryId = library.id;
  const id = `library ${libraryId}`;
  const head = line({
    id,
    name: t('tapeBoard.treeLibrary', {
      model: library.model,
      pool: library.pool,
    }),
    level: 2,
    target: { kind: 'library', libraryId },
    isExpanded: isOpen(id),
    note: statusWord(library.status),
  });
  if (!isOpen(id)) return [head];
  const robots = entry.medium_changers.map((robot) =>
    line({
      id: `robot ${robot.id}`,
      name: t('tapeBoard.robot', { serial: robot.serial }),
      level: 3,
      target: { kind: 'robot', libraryId },
    }),
  );
  const drivesId = `drives ${libraryId}`;
  const drives = line({
    id: drivesId,
    name: t('tapeBoard.drives'),
    level: 3,
    target: { kind: 'group', libraryId, places: 'drive' },
    isExpanded: isOpen(drivesId),
    note: String(entry.tape_drives.length),
  });
  const board = shown?.library.id === libraryId ? shown.board : null;
  // The places are live; what is kept of a drive is from the last look of the server.
  const ownDrives = () =>
    board === null
      ? entry.tape_drives.map((drive) => driveLine(drive, libraryId))
      : board.drive.map((place) => placeLine(place, libraryId));
  const driveLines = isOpen(drivesId) ? ownDrives() : [];
  const groups = (['storage', 'mail'] as const).flatMap((kind) => {
    const groupId = `${kind} ${libraryId}`;
    const places = board?.[kind] ?? null;
    const full = places?.filter((place) => place.full).length ?? 0;
    const count = places?.length ?? (kind === 'storage' ? library.slots_count : null);
    const group = line({
      id: groupId,
      name: t(kind === 'storage' ? 'tapeBoard.slots' : 'tapeBoard.mailSlots'),
      level: 3,
      target: { kind: 'group', libraryId, places: kind },
      isExpanded: places === null || places.length === 0 ? null : isOpen(groupId),
      note: places === null ? String(count ?? '') : t('tapeBoard.fullOf', { full, count: places.length }),
    });
    const children =
      places !== null && isOpen(groupId) ? places.map((place) => placeLine(place, libraryId)) : [];
    return [group, ...children];
  });
  return [head, ...robots, drives, ...driveLines, ...groups];
}

function driveLine(drive: Entry['tape_drives'][number], libraryId: number): TreeLine {
  const state = drive.barcode ?? driveStatusWord(drive.status);
  return line({
    id: `drive ${drive.id}`,
    name: `${drive.model} ${drive.serial}`.trim(),
    level: 4,
    target: { kind: 'drive', libraryId, driveId: drive.id },
    note: drive.needs_cleaning ? t('tapeBoard.needsCleaning') : state,
  });
}

function placeLine(place: Place, libraryId: number): TreeLine {
  return line({
    id: `place ${libraryId} ${place.address}`,
    name: placeName(place),
    level: 4,
    target: { kind: 'place', libraryId, address: place.address },
    note: place.full ? (place.barcode ?? placeState(place)?.word ?? '') : t('tapeBoard.empty'),
  });
}

function line(facts: {
  readonly id: string;
  readonly name: string;
  readonly level: number;
  readonly target: TreeTarget;
  readonly isExpanded?: boolean | null;
  readonly note?: string;
}): TreeLine {
  const { isExpanded = null, note = '', ...rest } = facts;
  return { ...rest, isExpanded, note };
}
