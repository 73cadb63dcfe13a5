import type { FailedProof } from '../../contract/statistics/statistics.ts';
import { t } from '../texts/index.ts';
import { Rich } from '../texts/rich.tsx';
import { formatServerTime, showHidden } from '../ui/index.ts';
import { kindWord } from './copy-words.ts';
import { showIn } from './tell.ts';
import { ResourcePath, type Trouble, TroubleLines, wayToTask } from './trouble-lines.tsx';

/** Each copy of which a sample did not come back, with when, what, why, and the ways to put it right. */
export function FailedProofLines(props: {
  readonly connectionId: string;
  readonly proofs: readonly FailedProof[];
}) {
  return <TroubleLines troubles={props.proofs.map((proof) => troubleOf(props.connectionId, proof))} />;
}

function troubleOf(connectionId: string, proof: FailedProof): Trouble {
  const copyId = proof.repository_id;
  const tried = {
    id: copyId,
    created: showHidden(formatServerTime(proof.created)),
    time: showHidden(formatServerTime(proof.time)),
  };
  return {
    key: copyId,
    meaning: 'error',
    word: t('status.notRestorable'),
    when: <span>{t('shell.failedProof.tried', tried)}</span>,
    what: (
      <Rich
        text={proof.strategy === null ? 'shell.failedProof.what' : 'shell.failedProof.whatByStrategy'}
        parts={{
          resource: <ResourcePath resource={proof.resource} />,
          client: showHidden(proof.client),
          kind: showHidden(kindWord(proof.backup_type)),
          strategy: showHidden(proof.strategy ?? ''),
        }}
      />
    ),
    reason: (
      <>
        <span className="mono">{showHidden(proof.path)}</span>: {showHidden(proof.reason)}
      </>
    ),
    remedy: t('shell.failedProof.remedy'),
    ways: [
      {
        text: t('shell.failedProof.showCopy'),
        label: t('shell.failedProof.showCopyOf', { id: copyId }),
        open: () => showIn(connectionId, 'Copies', copyId),
      },
      ...wayToTask(connectionId, proof.task_id),
    ],
  };
}
