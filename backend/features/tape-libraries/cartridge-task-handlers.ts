import type { HandlersOf } from '../../http/handler.ts';
import type { CartridgeService } from './cartridge-service.ts';
import type { Cartridge } from './tape-store.ts';

type Names = 'cartridges.labelTask' | 'cartridges.scanTask';

/** What the task of a cartridge keeps with it. */
export interface CartridgeTaskInput {
  readonly cartridge: number;
  readonly overwrite: boolean;
}

/** As a new task of the queue is described. */
export interface CartridgeTask {
  readonly taskType: 'tape_label' | 'tape_scan';
  readonly resourceType: null;
  readonly resource: string;
  readonly client: null;
  readonly pool: { readonly id: number; readonly name: string };
  readonly createdBy: string;
  readonly input: CartridgeTaskInput;
}

/** Labelling and scanning as tasks of the queue: nobody waits for a robot with a request. */
export function createCartridgeTaskHandlers(
  cartridges: CartridgeService,
  createTask: (task: CartridgeTask) => Promise<number>,
): HandlersOf<Names> {
  const make = async (
    taskType: CartridgeTask['taskType'],
    cartridge: Cartridge,
    wish: { readonly overwrite: boolean; readonly createdBy: string },
  ) => ({
    task_id: await createTask({
      taskType,
      resourceType: null,
      resource: cartridge.barcode,
      client: null,
      pool: { id: cartridge.poolId, name: cartridge.pool },
      createdBy: wish.createdBy,
      input: { cartridge: cartridge.id, overwrite: wish.overwrite },
    }),
  });
  return {
    'cartridges.labelTask': async ({ params, body, user }) => {
      const wish = { overwrite: body?.overwrite === true, createdBy: user.userName };
      return make('tape_label', await cartridges.requireForLabel(params.id), wish);
    },
    'cartridges.scanTask': async ({ params, user }) => {
      const wish = { overwrite: false, createdBy: user.userName };
      return make('tape_scan', await cartridges.requireForScan(params.id), wish);
    },
  };
}
