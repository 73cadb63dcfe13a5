import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import {
  type BlockInspection,
  DeviceError,
  inspectBlockDevice,
  shareBytes,
  startImageRestore,
} from '../../engine/index.ts';
import { type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import { errorCode } from '../../platform/native.ts';
import { counted } from '../bulk.ts';
import { followRestore, trafficOf } from './engine-bridge.ts';
import type { createPlacementStore } from './placement-store.ts';
import type { TrafficLimits } from './traffic-limits.ts';

export interface ImageRestoreDeps {
  readonly places: Pick<ReturnType<typeof createPlacementStore>, 'allStoragePaths' | 'blockDevicePaths'>;
  readonly dataDir: string;
  readonly traffic: TrafficLimits;
}

type ImageCopy = Omit<Parameters<typeof startImageRestore>[0], 'target'> & { readonly sizeBytes: number };

/** Writes the image of a copy onto a device, or over a plain file. */
export async function restoreOntoDevice(
  deps: ImageRestoreDeps,
  context: WorkContext,
  target: string,
  { sizeBytes, ...copy }: ImageCopy,
): Promise<WorkEnd> {
  const found = await usableTarget(deps, target, sizeBytes);
  const { log } = context;
  if (found.kind === 'file') log('client', 'info', `${target} is a plain file; it is written like a device.`);
  if (found.signatures.length > 0) {
    log('client', 'warning', `${target} held ${found.signatures.join(', ')}, which is overwritten.`);
  }
  const job = await deps.traffic.limited(trafficOf(context, 'restore'), () =>
    startImageRestore({ ...copy, target: found.realPath }),
  );
  const result = await followRestore(context, job).catch((error: unknown) => {
    if (error instanceof WorkStopped) {
      log('client', 'warning', `${target} holds a part of the image only and must not be used as it is.`);
    }
    throw error;
  });
  await context.moveTo('at_server');
  const zeros = result.sizeBytes - result.writtenBytes;
  const extent = `${counted(result.sizeBytes, 'byte')}, ${zeros} of them zeros that were not in the copy`;
  log('client', 'info', `The image was written onto ${target}: ${extent}.`);
  if (result.leftBytes > 0) {
    log(
      'client',
      'info',
      `${target} is ${counted(result.leftBytes, 'byte')} larger than the image; what lies there stayed as it was.`,
    );
  }
  return { kind: 'done', skippedItems: 0, transferredBytes: result.writtenBytes };
}

async function usableTarget(
  { places, dataDir }: ImageRestoreDeps,
  target: string,
  imageBytes: number,
): Promise<BlockInspection> {
  for (const device of await places.blockDevicePaths()) {
    if (await shareBytes(target, device)) {
      throw refused(target, `shares its bytes with ${device}, which holds blocks of this server`);
    }
  }
  const found = await inspectBlockDevice(target);
  const reason = whyTargetIsRefused(found, imageBytes);
  if (reason !== null) throw refused(target, reason);
  const own = [dataDir, ...(await places.allStoragePaths())];
  const inside = found.kind === 'file' && own.find((folder) => found.realPath.startsWith(folder + sep));
  if (inside) throw refused(target, `lies in ${inside}, which belongs to this server`);
  return found;
}

/** Why an image cannot be written there, or null. */
export function whyTargetIsRefused(found: BlockInspection, imageBytes: number): string | null {
  if (found.use?.kind === 'mounted') return `is mounted at ${found.use.at}; unmount it first`;
  if (found.use?.kind === 'swap') return 'is used as swap space; switch that off first';
  if (found.use?.kind === 'part of') return `is used by ${found.use.of}; take it out of there first`;
  if (found.use !== null) return 'is used by the system or another program; release it first';
  if (found.readOnly) return 'is write-protected; remove the protection or choose another device';
  if (found.sizeBytes >= imageBytes) return null;
  return `is too small: it has ${found.sizeBytes} bytes and the image ${imageBytes}; choose a larger device`;
}

function refused(target: string, reason: string): DeviceError {
  return new DeviceError('permission', `${target} ${reason}. Nothing was written.`);
}

/** An image becomes a file in a folder unless it is said that it goes onto the device. */
export async function requireFolder(destination: string): Promise<void> {
  try {
    const facts = await stat(destination);
    if (!facts.isBlockDevice()) return;
  } catch (error) {
    // It is made, or the restore itself says why it cannot be used.
    if (errorCode(error) !== '') return;
    throw error;
  }
  throw new DeviceError(
    'permission',
    `${destination} is a block device, and nothing was written. To write the image onto it set data_deployment to true; without it name a folder, in which the image becomes a file.`,
  );
}
