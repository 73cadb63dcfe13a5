import type { Db } from '../../db/index.ts';
import {
  type CatalogueEntry,
  type CopyFacts,
  type CopyRest,
  DeviceError,
  type FedArchive,
  releasedBytes,
  type TapeCopies,
  type TapeCopyWriter,
  type WrittenPart,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { CartridgeMissing, CartridgeNotMoved, NoCartridge, TakenAndLost } from './cartridge-errors.ts';
import {
  type Candidate,
  type Hindrance,
  longSet,
  whatSetTakes,
  whatToBring,
  whatToMend,
  whereIs,
} from './cartridge-rules.ts';
import { prepareCartridge } from './prepare-cartridge.ts';
import { createTapeCopyStore } from './tape-copy-store.ts';
import type { TapeFileLists } from './tape-file-lists.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { type Cartridge, createTapeStore, type PlacedPart } from './tape-store.ts';
import type { TapeWork } from './tape-work.ts';
import { candidatesOf, cartridgesOf, type WrittenSet, whatToAssign } from './written-set.ts';

export interface CopyToWrite {
  readonly uuid: string;
  readonly poolId: number;
  readonly facts: CopyFacts;
  /** The folder of a copy that is whole, or one that is made while it is written. */
  readonly from: string | MadeMeanwhile;
  /** Cartridges that are not taken. */
  readonly without?: ReadonlySet<number>;
}

/** `rest` resolves once the archive was made. When that fails, the work has to be stopped by its signal. */
export interface MadeMeanwhile extends FedArchive {
  readonly rest: Promise<CopyRest>;
}

/** Cartridges that the robot could not bring after which it is not asked for another one. */
const MOST_UNMOVED = 3;

const LONG_SET_WARNING = `This copy has come to its cartridge ${longSet} and goes on: each restore needs all of them, in order, and one that is lost ends the copy there. Larger cartridges, or several clients' resources in place of one, make shorter sets.`;

/** Brings copies onto cartridges of a pool, one cartridge after the other. */
export function createTapeCopyWriting(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly mounts: TapeMounts;
  /** Where tape blocks go through. */
  readonly tapeCopies: TapeCopies;
  readonly lists: TapeFileLists;
}) {
  const { db, mounts } = deps;
  const store = createTapeStore(db);
  const catalogue = createTapeCopyStore(db);

  const writeOn = async (
    writer: TapeCopyWriter,
    cartridge: Cartridge,
    { copyUuid, set }: { readonly copyUuid: string; readonly set: WrittenSet | null },
    work: TapeWork,
  ): Promise<WrittenPart | null> => {
    const { id, barcode } = cartridge;
    return mounts.withCartridge(
      cartridge,
      work.signal,
      async (drive, signal) => {
        const inside = { ...work, signal };
        const prepared = await prepareCartridge(deps, drive, { id, set }, inside);
        if (prepared === null) return null;
        const { label, cartridge: now } = prepared;
        const entries = (await store.partsOn(id)).map(toEntry);
        work.log('info', `Writing to the cartridge ${barcode}.`);
        const part = await writer.writePart({ drive, label, file: now.nextFile, entries }, signal);
        const isNewInSet = await db.transaction().execute(async (tx) => {
          const stored = createTapeStore(tx);
          const { number, bytes, isLast, nextFile, isTapeFull } = part;
          const row = { cartridgeId: id, copyUuid, number, file: now.nextFile, bytes, isLast };
          await stored.addPart({ ...row, state: 'writing', facts: null });
          const written = now.written + bytes;
          const full = isTapeFull ? { state: 'full', capacity: written } : {};
          await stored.change(id, { written, nextFile, ...full });
          return set !== null && stored.joinSet(id, set.name);
        });
        if (isNewInSet)
          work.log('info', `The cartridge ${barcode} belongs to the media set ${set?.name} now.`);
        const rest = part.isLast ? '' : '; the cartridge is full';
        work.log('info', `${part.bytes} bytes were written to the cartridge ${barcode}${rest}.`);
        if (part.number + 1 === longSet && !part.isLast) work.log('warning', LONG_SET_WARNING);
        return part;
      },
      work.log,
    );
  };

  /** Whether another cartridge may be tried after this failure; notes what it says of this one. */
  const mayGoOn = async (
    error: unknown,
    { cartridge, hindrances }: { readonly cartridge: Cartridge; readonly hindrances: Hindrance[] },
    work: TapeWork,
  ): Promise<boolean> => {
    if (!(error instanceof DeviceError) || work.signal.aborted) return false;
    const note = (what: string): void =>
      work.log('warning', `The cartridge ${cartridge.barcode} ${what}: ${error.message}`);
    if (error instanceof CartridgeMissing) {
      note('is not used');
      return true;
    }
    const hinder = async (why: Hindrance['why']): Promise<void> => {
      const [now = cartridge] = await store.some([cartridge.id]);
      hindrances.push({ barcode: cartridge.barcode, why, where: whereIs(now) });
    };
    // Before the kind is looked at: it is that of the robot's failure.
    if (error instanceof CartridgeNotMoved) {
      await hinder('unmoved');
      note('is not used');
      // A robot that brings none of three is itself what a person has to look at.
      return hindrances.filter(({ why }) => why === 'unmoved').length < MOST_UNMOVED;
    }
    if (error.kind === 'noSpace') {
      await store.change(cartridge.id, { state: 'full', capacity: cartridge.written });
      note('is full');
      return true;
    }
    if (error.kind === 'corrupt') {
      await store.change(cartridge.id, { state: 'suspect' });
      note('is suspect and is not written any more');
      return true;
    }
    if (!error.isWriteProtected) return false;
    await store.change(cartridge.id, { isWriteProtected: true });
    await hinder('protected');
    note(`(${hindrances.at(-1)?.where}) is write-protected and is not used`);
    return true;
  };

  const forgetList = async (copyUuid: string): Promise<void> => {
    if (!(await catalogue.isCopy(copyUuid))) await deps.lists.forget(copyUuid);
  };
  const giveUp = async (copyUuid: string): Promise<void> => {
    await forgetList(copyUuid);
    await db.transaction().execute(async (tx) => {
      const inside = createTapeStore(tx);
      const copies = createTapeCopyStore(tx);
      if (await copies.isCopy(copyUuid)) return;
      const parts = await inside.partsOf(copyUuid);
      // The tape keeps them until something is written over them.
      if (parts.length > 0) await copies.noteGivenUp(copyUuid, deps.clock.now());
      for (const part of parts) {
        const [cartridge] = await inside.some([part.cartridgeId]);
        const last = (await inside.partsOn(part.cartridgeId)).at(-1);
        if (!cartridge || last?.file !== part.file) continue;
        await inside.removePart(part.cartridgeId, part.file);
        const isOpen = cartridge.state === 'full' || cartridge.state === 'labelled';
        const written = cartridge.written - part.bytes;
        await inside.change(part.cartridgeId, {
          ...(isOpen ? { state: 'labelled' } : {}),
          written,
          nextFile: part.file,
        });
      }
      await inside.settleParts(copyUuid);
    });
  };

  /** What to say of the cartridges before anything is written. A copy that is made meanwhile is taken for as large as the one before. */
  const whatItTakes = async (
    totalBytes: number | null,
    facts: CopyFacts,
    poolId: number,
    set: WrittenSet | null,
  ): Promise<string | null> => {
    const series = {
      clientHwid: String(facts.client_hwid),
      resourceType: String(facts.resource_type),
      resource: String(facts.resource),
    };
    const bytes = totalBytes ?? (await catalogue.lastFullBytes(series));
    const all = await store.ofPool(poolId);
    const takes = bytes === null ? null : whatSetTakes(bytes, all, candidatesOf(set, all));
    if (takes === null || totalBytes !== null) return takes;
    return `${takes} Its size is that of the copy before.`;
  };

  const write = async (
    { from, uuid, facts, poolId, without }: CopyToWrite,
    given: TapeWork,
  ): Promise<{ readonly bytes: number }> => {
    const made = typeof from === 'string' ? null : from;
    const source = typeof from === 'string' ? from : { feed: from.feed, names: from.names };
    const writer = await deps.tapeCopies.openWriter({
      from: source,
      copyId: uuid,
      facts,
      onBytes: given.onBytes,
    });
    const broken = new AbortController();
    const signal = AbortSignal.any([given.signal, broken.signal]);
    const work = { ...given, signal };
    made?.rest.then(writer.complete).catch((error: unknown) => broken.abort(error));
    const tried = new Set(without);
    const hindrances: Hindrance[] = [];
    let bytes = 0;
    work.log('info', 'The copy is written to tape from its beginning; nothing of an earlier attempt counts.');
    // Once for all of the copy, whose cartridges belong together.
    const set = await store.setOfPool(poolId);
    if (set !== null) work.log('info', `It goes to the media set ${set.name} alone.`);
    const expected = await whatItTakes(writer.totalBytes, facts, poolId, set);
    if (expected !== null) work.log('warning', expected);
    try {
      for (;;) {
        work.signal.throwIfAborted();
        const drives = await mounts.countDrives();
        const cartridges = await store.ofPool(poolId);
        const left = candidatesOf(set, cartridges).filter(({ cartridge }) => !tried.has(cartridge.id));
        // While another task writes to the best one a free drive takes another; nothing is waited for between this and its reservation.
        const isFree = ({ cartridge }: Candidate): boolean =>
          mounts.isFree(cartridge, drives.get(cartridge.libraryId) ?? 0);
        const next = left.find(isFree) ?? left[0];
        if (next === undefined) {
          const mend = whatToMend(hindrances);
          const pool = await poolName(db, poolId);
          const bring = whatToBring(pool, cartridgesOf(set, cartridges), set?.name);
          const untried = cartridges.filter(({ id }) => !tried.has(id));
          const told = `${bring}${whatToAssign(set, untried)}`;
          throw new NoCartridge(mend === '' ? told : `${told} ${mend}`);
        }
        tried.add(next.cartridge.id);
        try {
          const part = await writeOn(writer, next.cartridge, { copyUuid: uuid, set }, work);
          bytes += part?.bytes ?? 0;
          if (part?.isLast) {
            await deps.lists.keep(typeof from === 'string' ? from : (await from.rest).folder, uuid);
            return { bytes };
          }
        } catch (error) {
          if (await mayGoOn(error, { cartridge: next.cartridge, hindrances }, work)) {
            // What the parts before have does not count.
            if (made !== null && releasedBytes(made.feed) > bytes)
              throw new TakenAndLost(next.cartridge, error as DeviceError);
            continue;
          }
          if (error instanceof CartridgeNotMoved) throw new NoCartridge(whatToMend(hindrances));
          throw error;
        }
      }
    } catch (error) {
      await giveUp(uuid);
      throw broken.signal.aborted ? broken.signal.reason : error;
    } finally {
      await writer.close();
    }
  };

  return { write, giveUp, forgetList };
}

const toEntry = (part: PlacedPart): CatalogueEntry => ({
  file: part.file,
  copy: part.copyUuid,
  number: part.number,
  isLast: part.isLast,
  bytes: part.bytes,
});

async function poolName(db: Db, poolId: number): Promise<string> {
  const [cartridge] = await createTapeStore(db).ofPool(poolId);
  return cartridge?.pool ?? String(poolId);
}
