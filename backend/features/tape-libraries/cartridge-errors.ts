import { DeviceError } from '../../engine/index.ts';
import type { Cartridge } from './tape-store.ts';

// Why a cartridge could not be used where it was wanted. The messages are for a person at the library.

/** A cartridge that a person has to bring; the message says which and where to. */
export class CartridgeMissing extends DeviceError {
  /** `unreadable`: places with a cartridge that may be this one. */
  constructor({ barcode, pool }: Pick<Cartridge, 'barcode' | 'pool'>, unreadable: readonly string[] = []) {
    const seen = `The robot does not see the cartridge ${barcode} in the library of pool ${pool}`;
    super(
      'notFound',
      unreadable.length === 0
        ? `The cartridge ${barcode} is not in the library of pool ${pool}; put it in and synchronise the library.`
        : `${seen}, and cannot read the barcode in ${unreadable.join(', ')}: look there, put ${barcode} in with a readable barcode and synchronise the library.`,
    );
    this.name = 'CartridgeMissing';
  }
}

/** A person took the cartridge out of its drive while it was used. */
export class CartridgePulled extends CartridgeMissing {
  constructor(cartridge: Pick<Cartridge, 'barcode' | 'pool'>, drive: string) {
    super(cartridge);
    this.name = 'CartridgePulled';
    this.message = `The cartridge ${cartridge.barcode} was taken out of ${drive} while it was used. Put it back into the library of pool ${cartridge.pool} and synchronise the library.`;
  }
}

/** Somebody has moved it since it was looked up; the drive that it is in serves as well, where it is one of this server. */
export class InOtherDrive extends DeviceError {
  constructor({ barcode }: Pick<Cartridge, 'barcode'>) {
    super('busy', `The cartridge ${barcode} is in another drive; bring it to a slot, or try again.`);
    this.name = 'InOtherDrive';
  }
}

/** The robot could not bring a cartridge to a drive, though it was there; another one may do. */
export class CartridgeNotMoved extends DeviceError {
  constructor(cartridge: Pick<Cartridge, 'barcode'>, where: string, cause: DeviceError) {
    super(
      cause.kind,
      `The robot could not bring the cartridge ${cartridge.barcode} from ${where} to its drive: ${cause.message} Look at the robot and at that place, then synchronise the library.`,
      { cause },
    );
    this.name = 'CartridgeNotMoved';
  }
}

/** No cartridge takes the rest; a person has to bring one. */
export class NoCartridge extends DeviceError {
  constructor(message: string) {
    super('noSpace', message);
    this.name = 'NoCartridge';
  }
}

/** A person has to do something, or others have to end: the task waits. */
export function isWorthWaiting(error: unknown): boolean {
  if (error instanceof NoCartridge || error instanceof CartridgeMissing) return true;
  return error instanceof DeviceError && error.kind === 'busy';
}

/** A cartridge failed with what it had taken of a copy that is made meanwhile and was kept nowhere else: it has to be made anew. */
export class TakenAndLost extends DeviceError {
  readonly cartridgeId: number;

  constructor(cartridge: Cartridge, cause: DeviceError) {
    super('permanent', `The cartridge ${cartridge.barcode} failed: ${cause.message}`, { cause });
    this.name = 'TakenAndLost';
    this.cartridgeId = cartridge.id;
  }
}
