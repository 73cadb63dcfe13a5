import { createStore } from 'zustand/vanilla';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import type { VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';
import { call, problemOf } from '../../bridge.ts';
import { hasExtension } from '../../shell/rights.ts';
import { refreshList } from '../../shell/use-list.ts';
import { type Board, boardOf } from './board-rules.ts';

export interface LibraryBoard {
  readonly library: TapeLibrary;
  readonly board: Board;
  readonly cartridges: readonly Cartridge[];
  /** The simulated library behind it, where it is one. */
  readonly simulated: VirtualLibrary | null;
}

/** The places as the robot tells them now, and what is registered. Rejects with the server's reason. */
export async function loadBoard(
  connectionId: string,
  libraryId: number,
  signal?: AbortSignal,
): Promise<LibraryBoard> {
  const params = { id: libraryId };
  const [library, elements, cartridges, simulated] = await Promise.all([
    call(connectionId, 'tapeLibraries.get', { params }, signal),
    call(connectionId, 'cartridges.slots', { params }, signal),
    call(connectionId, 'cartridges.list', { query: { tape_library: libraryId } }, signal),
    simulatedLibraries(connectionId, signal),
  ]);
  const own = simulated.find(({ sg_path: path }) => path === library.sg_path) ?? null;
  return {
    library,
    board: boardOf(elements, cartridges.items, own),
    cartridges: cartridges.items,
    simulated: own,
  };
}

export async function simulatedLibraries(
  connectionId: string,
  signal?: AbortSignal,
): Promise<readonly VirtualLibrary[]> {
  if (!hasExtension(connectionId, 'virtual_libraries')) return [];
  return (await call(connectionId, 'virtualLibraries.list', { query: {} }, signal)).items;
}

/** A move that the robot is asked for; `problem`: what the server said of it. */
export interface Move {
  readonly from: number;
  readonly to: number;
  readonly barcode: string | null;
  readonly problem: string | null;
}

/** By library of a connection; kept while the screen is left, since a move of a real robot takes minutes. */
export const moves = createStore<{ readonly running: Readonly<Record<string, Move>> }>(() => ({
  running: {},
}));

export const moveKey = (connectionId: string, libraryId: number): string => `${connectionId}/${libraryId}`;

const setMove = (key: string, move: Move | null): void =>
  moves.setState(({ running }) => {
    const { [key]: _before, ...others } = running;
    return { running: move === null ? others : { ...others, [key]: move } };
  });

export const forgetMove = (connectionId: string, libraryId: number): void =>
  setMove(moveKey(connectionId, libraryId), null);

/** Answers true when the cartridge is there; false when the server refused, which then stands at the move. */
export async function moveCartridge(
  connectionId: string,
  libraryId: number,
  wish: Omit<Move, 'problem'>,
): Promise<boolean> {
  const key = moveKey(connectionId, libraryId);
  setMove(key, { ...wish, problem: null });
  try {
    const body = { from: wish.from, to: wish.to };
    await call(connectionId, 'cartridges.move', { params: { id: libraryId }, body });
    setMove(key, null);
    return true;
  } catch (error) {
    setMove(key, { ...wish, problem: problemOf(error).message });
    return false;
  } finally {
    refreshList(connectionId, 'Cartridges');
  }
}
