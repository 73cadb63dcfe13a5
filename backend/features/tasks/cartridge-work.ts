import type { CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import { Refusal } from '../../platform/errors.ts';
import { counted } from '../bulk.ts';
import type { CartridgeService } from '../tape-libraries/cartridge-service.ts';
import { followTape, tapeEnd } from './tape-follow.ts';

type Runs = Pick<CartridgeService, 'runLabel' | 'runScan'>;

const done: WorkEnd = {
  kind: 'done',
  skippedItems: null,
  transferredBytes: 0,
};

/** Writes a label; what it meets on the tape stands in the log. */
export function createLabelWork(cartridges: Runs): Work {
  return async (context) => {
    const { cartridge, overwrite } = inputOf(context);
    await context.moveTo('execution');
    return ending(async () => {
      const { barcode, pool } = await followTape(context, 0, (work) =>
        cartridges.runLabel(cartridge, overwrite, work),
      );
      context.log('server', 'info', `The cartridge ${barcode} has a label of pool ${pool}.`);
    });
  };
}

/** Reads what is on a cartridge, and tells with each part how far it has come. */
export function createScanWork(cartridges: Runs): Work {
  return async (context) => {
    const { cartridge } = inputOf(context);
    await context.moveTo('execution');
    return ending(async () => {
      let parts = 0;
      const scan = await followTape(context, 0, (work) =>
        cartridges.runScan(cartridge, work, (what) => {
          parts += 1;
          const counts = { bytesDone: 0, bytesTotal: null, transferredBytes: 0 };
          context.progress({ ...counts, filesDone: parts, filesTotal: null, currentPath: what });
        }),
      );
      tellScan(context, scan);
    });
  };
}

function tellScan({ log }: WorkContext, scan: CartridgeScan): void {
  for (const problem of scan.problems) log('server', 'warning', problem);
  if (scan.label === null) {
    log('server', 'info', `There is no label of this product; the cartridge is ${scan.state}.`);
    return;
  }
  log('server', 'info', `${counted(scan.parts.length, 'part')} of copies were read.`);
  const found = scan.copies_found;
  if (found.length > 0) {
    log('server', 'info', `In the catalogue again: ${found.map((id) => `copy ${id}`).join(', ')}.`);
  }
  if (scan.copies_incomplete === 0) return;
  const missing = scan.cartridges_missing.join(', ') || 'further cartridges of the pool';
  log(
    'server',
    'warning',
    `${counted(scan.copies_incomplete, 'copy', 'copies')} need more cartridges to be scanned: ${missing}.`,
  );
}

function inputOf({ task }: WorkContext): { readonly cartridge: number; readonly overwrite: boolean } {
  const { cartridge = -1, overwrite = false } = JSON.parse(task.input ?? '{}') as {
    cartridge?: number;
    overwrite?: boolean;
  };
  return { cartridge, overwrite };
}

async function ending(work: () => Promise<void>): Promise<WorkEnd> {
  try {
    await work();
    return done;
  } catch (error) {
    // What has changed since the task was made, or what the tape holds: a message for a person.
    if (error instanceof Refusal) return { kind: 'error', message: error.message };
    return tapeEnd(error);
  }
}
