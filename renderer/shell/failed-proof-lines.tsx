import type { FailedProof } from '../../contract/statistics/statistics.ts';
import { t } from '../texts/index.ts';
import { Rich } from '../texts/rich.tsx';
import { Button, cutMiddle, formatServerTime, StatusBadge, showHidden } from '../ui/index.ts';
import { kindWord } from './copy-words.ts';
import { showIn } from './tell.ts';

const shownMost = 20;

/** Each copy of which a sample did not come back, with when, what, why, and the ways to put it right. */
export function FailedProofLines(props: {
  readonly connectionId: string;
  readonly proofs: readonly FailedProof[];
}) {
  const { connectionId, proofs } = props;
  return (
    <ul className="lines overdue-lines">
      {proofs.slice(0, shownMost).map((proof) => {
        const { repository_id: copyId, task_id: taskId } = proof;
        const resource = showHidden(proof.resource);
        return (
          <li key={copyId}>
            <div className="overdue-text">
              <span className="overdue-head">
                <StatusBadge meaning="error" word={t('status.notRestorable')} />
                <span>
                  {t('shell.failedProof.tried', {
                    id: copyId,
                    created: showHidden(formatServerTime(proof.created)),
                    time: showHidden(formatServerTime(proof.time)),
                  })}
                </span>
              </span>
              <span>
                <Rich
                  text={
                    proof.strategy === null ? 'shell.failedProof.what' : 'shell.failedProof.whatByStrategy'
                  }
                  parts={{
                    resource: (
                      <span className="mono" title={resource}>
                        {cutMiddle(resource, 70)}
                      </span>
                    ),
                    client: showHidden(proof.client),
                    kind: showHidden(kindWord(proof.backup_type)),
                    strategy: showHidden(proof.strategy ?? ''),
                  }}
                />
              </span>
              <span className="selectable">
                <span className="mono">{showHidden(proof.path)}</span>: {showHidden(proof.reason)}
              </span>
              <span className="muted">{t('shell.failedProof.remedy')}</span>
            </div>
            <div className="overdue-ways">
              <Button
                label={t('shell.failedProof.showCopyOf', { id: copyId })}
                onClick={() => showIn(connectionId, 'Copies', copyId)}
              >
                {t('shell.failedProof.showCopy')}
              </Button>
              {taskId !== null && (
                <Button
                  label={t('shell.showTaskOf', { id: taskId })}
                  onClick={() => showIn(connectionId, 'Tasks', taskId)}
                >
                  {t('shell.showTask')}
                </Button>
              )}
            </div>
          </li>
        );
      })}
      {proofs.length > shownMost && (
        <li className="muted">{t('shell.list.andMore', { rest: proofs.length - shownMost })}</li>
      )}
    </ul>
  );
}
