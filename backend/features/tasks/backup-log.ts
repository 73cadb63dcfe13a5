import type { BackupResult } from '../../engine/index.ts';
import type { WorkContext } from '../../jobs/index.ts';
import { counted } from '../bulk.ts';

type Told = Pick<WorkContext, 'log'>;

const mostLinesOfSkipped = 1000;

/** What of a copy of blocks was new. */
export function logBlocks(context: Told, { archiveBytes }: BackupResult, device: string): void {
  const fresh =
    archiveBytes === 0 ? 'nothing of it was new' : `${counted(archiveBytes, 'byte')} of it were new`;
  context.log('server', 'info', `The data lie on the block device ${device}; ${fresh} there.`);
}

/** Blocks that were damaged and are whole again, since what they hold came once more. */
export function logHealed(context: Told, blocks: number, device: string): void {
  if (blocks === 0) return;
  context.log(
    'server',
    'info',
    `${counted(blocks, 'damaged block')} on the block device ${device} ${blocks === 1 ? 'was' : 'were'} stored anew. Copies that have them may be whole again: verify them.`,
  );
}

/** What was read, skipped and taken from earlier copies. */
export function logOutcome(context: Told, result: BackupResult, isOfBlocks: boolean): void {
  const { totals, reuse } = result;
  if (reuse.unread > 0) {
    context.log(
      'client',
      'warning',
      `${counted(reuse.unread, 'item')} now unreadable. They are not deleted: the new copy keeps what the copy before has of them. Give this server the right to read them, or leave them out.`,
    );
  }
  for (const item of result.skipped.slice(0, mostLinesOfSkipped)) {
    context.log(
      'client',
      item.class === 'rule' ? 'info' : 'warning',
      `Skipped ${item.path}: ${item.reason}.`,
    );
  }
  if (totals.skipped > result.skipped.length) {
    context.log(
      'client',
      'warning',
      `${totals.skipped - result.skipped.length} more items were skipped; the copy lists all of them.`,
    );
  }
  for (const path of result.changed) context.log('client', 'warning', `${path} changed while it was read.`);
  const read = `Read: ${counted(totals.files, 'file')}, ${counted(totals.folders, 'folder')}`;
  const lost = totals.skipped === 0 ? '' : `; skipped: ${counted(totals.skipped, 'item')}`;
  context.log('client', 'info', `${read}${lost}.`);
  if (reuse.files > 0) {
    const same = `${counted(reuse.files, 'file')} unchanged (${counted(reuse.bytes, 'byte')})`;
    const where = isOfBlocks
      ? 'they were not read, their blocks are there'
      : 'the data stay in the copies before';
    context.log('client', 'info', `${same}; ${where}.`);
  }
}
