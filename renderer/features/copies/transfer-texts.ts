import type { PoolDestination } from '../../../contract/pools/pool.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { kindWord } from '../../shell/copy-words.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { formatBytes, showHidden } from '../../ui/index.ts';
import { isMeasured, type TransferKind, type TransferObstacle } from './transfer-plan.ts';

const types = textsOf('pools').types;

/** Why a copy stays where it is, and what would help. */
export function obstacleText(obstacle: TransferObstacle, copy: Copy, dependants: number): string {
  if (obstacle === 'notFull') {
    const kind = showHidden(kindWord(copy.backup_type));
    return copy.chain_id === null || copy.chain_id === copy.id
      ? t('transfer.obstacles.notFull', { kind })
      : t('transfer.obstacles.notFullOf', { kind, id: copy.chain_id });
  }
  if (obstacle === 'hasDependants') return t('transfer.obstacles.hasDependants', { count: dependants });
  return t(`transfer.obstacles.${obstacle}`);
}

/** What becomes of a copy that goes. */
export function outcomeText(kind: TransferKind, copy: Copy, pool: string, dependants: number): string {
  const bytes = formatBytes(copy.size);
  const to = showHidden(pool);
  const first =
    kind === 'copy'
      ? t('transfer.copyOutcome', { bytes, pool: to })
      : t('transfer.moveOutcome', { bytes, pool: to, from: showHidden(copy.pool ?? '') });
  return dependants === 0 ? first : `${first} ${t('transfer.dependantsStay', { count: dependants })}`;
}

/** A pool in the list of targets. */
export function poolChoiceText(pool: PoolDestination): string {
  const name = showHidden(pool.pool_name);
  const type = showHidden(wordFor(types, pool.pool_type));
  return isMeasured(pool)
    ? t('transfer.poolChoiceFree', { name, type, free: formatBytes(pool.free_space) })
    : t('transfer.poolChoice', { name, type });
}

/** What a server has against a copy: its reason about the copy or the pool where it names one, else its sentence. */
export function refusalText(problem: Problem, copy: Copy): string {
  const { id, pool_name } = problem.errors ?? {};
  const isPhrase = (reason: string | undefined): reason is string =>
    reason !== undefined && /^(must|is|has|cannot|does|lies)\b/.test(reason);
  if (isPhrase(id)) {
    return t('transfer.reasonOf', { what: t('copies.named', { id: copy.id }), reason: showHidden(id) });
  }
  if (isPhrase(pool_name)) {
    return t('transfer.reasonOf', { what: t('transfer.pool'), reason: showHidden(pool_name) });
  }
  return showHidden(problem.message);
}
