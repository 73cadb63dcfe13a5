import { parseClientText } from '../../../contract/words.ts';
import type { BackupResult, CopyFacts } from '../../engine/index.ts';
import type { QueuedTask, WorkContext } from '../../jobs/index.ts';
import { counted } from '../bulk.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { followTape } from './tape-follow.ts';

interface Made {
  readonly task: QueuedTask;
  readonly result: BackupResult;
  readonly createdMs: number;
  readonly isFileListAvailable: boolean;
}

/** What would build on a copy on tape would need that tape for each restore. */
export function noteFullOnly({ task, log }: WorkContext): void {
  if (task.backup_type === 'full') return;
  log('server', 'info', 'Copies on tape build on no other one: this one is full.');
}

/** The new copy goes from its folder to tape, and is read back when new copies are verified. */
export async function writeToTape(
  tapes: TapeCopyService,
  context: WorkContext,
  copy: { readonly folder: string; readonly uuid: string; readonly isVerified: boolean; readonly made: Made },
): Promise<void> {
  const { folder, uuid, made } = copy;
  const poolId = context.task.pool_id ?? -1;
  const wish = { folder, uuid, facts: factsOf(made), poolId };
  const { bytes } = await followTape(context, storedBytes(made), (tape) => tapes.write(wish, tape));
  context.log('server', 'info', `The copy is on tape (${counted(bytes, 'byte')}).`);
  if (!copy.isVerified) return;
  await followTape(context, bytes, (tape) => tapes.check(uuid, tape));
  context.log('server', 'info', 'All of it was read back from tape and is right.');
}

const storedBytes = ({ result }: Made): number => result.archiveBytes + result.manifestBytes;

/** As the catalogue will know it. */
function factsOf(made: Made): CopyFacts {
  const { task, result, createdMs, isFileListAvailable } = made;
  const clientText = task.client_text ?? '';
  return {
    resource_type: task.resource_type ?? '',
    resource: task.resource ?? '',
    client_text: clientText,
    client_hwid: parseClientText(clientText)?.hwid ?? '',
    backup_type: 'full',
    crypto: task.crypto ?? 'nocrypt',
    size: result.totals.sourceBytes,
    real_size: storedBytes(made),
    created_ms: createdMs,
    file_list_available: isFileListAvailable ? 1 : 0,
    description: null,
    skipped_items: result.totals.skipped,
    files_count: result.totals.files,
  };
}
