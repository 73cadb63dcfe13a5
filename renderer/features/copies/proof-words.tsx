import type { Copy } from '../../../contract/repository/copy.ts';
import { t } from '../../texts/index.ts';
import { formatBytes, formatServerTime, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

type Proven = Pick<Copy, 'proven' | 'proven_files' | 'proven_bytes' | 'proof_failure'>;

/** When a sample of the copy was restored last; a failure since then goes before it. */
export function ProvenCell(props: { readonly copy: Proven }) {
  const { proven, proof_failure: failure } = props.copy;
  if (failure !== null && failure !== undefined)
    return <StatusBadge meaning="error" word={t('copies.proof.notRestorable')} />;
  if (proven === null || proven === undefined) return thinDash;
  return <StatusBadge meaning="ok" word={formatServerTime(proven)} />;
}

/** The same in words, for tooltip and details; null where no proof was made. */
export function provenText({ proven, proven_files: files, proven_bytes: bytes }: Proven): string | null {
  if (proven === null || proven === undefined) return null;
  return `${showHidden(formatServerTime(proven))} (${t('common.counts.files', { count: files ?? 0 })}, ${formatBytes(bytes)})`;
}

export function failureText({ proof_failure: failure }: Proven): string | null {
  if (failure === null || failure === undefined) return null;
  return `${showHidden(formatServerTime(failure.time))}: ${showHidden(failure.path)}: ${showHidden(failure.reason)}`;
}
