import { workerData } from 'node:worker_threads';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { shownPath } from '../manifest/display.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import { type SampleLimits, Sampler } from './sample.ts';

export interface ChooseWorkerInput {
  readonly control: SharedArrayBuffer;
  readonly copyPath: string;
  readonly secret: CopySecret | null;
  readonly limits: SampleLimits;
}

export interface ChosenFile {
  readonly ordinal: number;
  readonly sizeBytes: number;
  /** Display form, absolute. */
  readonly path: string;
}

export interface Choice {
  readonly files: readonly ChosenFile[];
  /** Regular files of the copy. */
  readonly filesTotal: number;
  /** Of these, how many alone take more than the sample may. */
  readonly tooLarge: number;
  /** Entries of the file list that cannot be read. */
  readonly lost: number;
}

const input = workerData as ChooseWorkerInput;
const control = new Control(input.control);

runWorkerAsync(control, async () => finishWorker(choose()));

function choose(): Choice {
  const reader = new ManifestReader(input.copyPath, input.secret);
  try {
    const { source } = reader.file.header;
    const sampler = new Sampler<ChosenFile>(input.limits);
    let lost = 0;
    for (const step of reader.walk()) {
      control.check();
      if (step.kind === 'lost') lost += Math.max(1, step.count);
      if (step.kind !== 'entry' || step.entry.type !== 'f') continue;
      const { entry, path } = step;
      const { ordinal, sizeBytes } = entry;
      sampler.offer(entry, () => ({ ordinal, sizeBytes, path: shownPath(source, path) }));
    }
    const { seen: filesTotal, tooLarge } = sampler;
    return { files: sampler.chosen(), filesTotal, tooLarge, lost };
  } finally {
    reader.close();
  }
}
