import { workerData } from 'node:worker_threads';
import type { ByteString } from '../../platform/byte-path.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { LookAhead } from './look-ahead.ts';
import { LookWriter } from './look-ring.ts';
import { type DeviceAlias, takeDevicesAs } from './source-item.ts';

/** Looks at the resource ahead of the reader. */
export interface LookInput {
  readonly control: SharedArrayBuffer;
  readonly looks: SharedArrayBuffer;
  readonly source: ByteString;
  readonly excludedKeys: readonly string[];
  readonly snapshot: DeviceAlias | null;
}

const input = workerData as LookInput;
const control = new Control(input.control);

runWorker(control, () => {
  takeDevicesAs(input.snapshot);
  const { source, excludedKeys, snapshot } = input;
  const scope = { source, excludedKeys, isSnapshot: snapshot !== null };
  new LookAhead(new LookWriter(input.looks, control), control, scope).run();
  finishWorker(null);
});
