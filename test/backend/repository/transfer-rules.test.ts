import { describe, expect, it } from 'vitest';
import {
  type TransferFacts,
  whyTransferIsRefused,
} from '../../../backend/features/repository/transfer-rules.ts';

const facts = (more: Partial<TransferFacts> = {}): TransferFacts => ({
  backupType: 'full',
  sourcePoolId: 1,
  crypto: 'nocrypt',
  pool: { id: 2, type: 'File system' },
  isThere: true,
  dependants: 0,
  activeTasks: [],
  ...more,
});
const task = (task_type: string) => ({ id: 7, task_type });

describe('a copy can be brought to another pool', () => {
  it('when it is a full one and nothing uses it', () => {
    expect(whyTransferIsRefused('copy', facts())).toBeNull();
    expect(whyTransferIsRefused('move', facts())).toBeNull();
  });

  it.each([
    [{ backupType: 'incremental' }, 'id', 'only full copies'],
    [{ backupType: 'differential' }, 'id', 'only full copies'],
    [{ isThere: false }, 'id', 'no storage'],
    [{ pool: { id: 2, type: 'Block device' }, crypto: 'age' }, 'pool_name', 'encrypted'],
    [{ sourcePoolId: 2 }, 'pool_name', 'choose another'],
    [{ pool: { id: 2, type: 'Client defined' } }, 'pool_name', 'Client defined'],
    [{ activeTasks: [task('move')] }, 'id', 'task 7'],
  ])('never with %j (case 134)', (more, field, reason) => {
    for (const kind of ['copy', 'move'] as const) {
      expect(whyTransferIsRefused(kind, facts(more))).toMatchObject({
        field,
        reason: expect.stringContaining(reason),
      });
    }
  });

  it('while others build on it or use it only as a second copy', () => {
    for (const more of [{ dependants: 1 }, { activeTasks: [task('restore')] }]) {
      expect(whyTransferIsRefused('copy', facts(more))).toBeNull();
      expect(whyTransferIsRefused('move', facts(more))?.field).toBe('id');
    }
  });
});
