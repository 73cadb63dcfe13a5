import type { FailedProof } from '../../contract/statistics/statistics.ts';
import { Button, cutMiddle, formatServerTime, StatusBadge, showHidden } from '../ui/index.ts';
import { showIn } from './tell.ts';

const shownMost = 20;
const remedy =
  'Verify the copy and make a new one. When the reason is put right (a key, a storage), restart the task: it proves the copy again.';

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
                <StatusBadge meaning="error" word="not restorable" />
                <span>
                  copy {copyId} of {showHidden(formatServerTime(proof.created))}, tried{' '}
                  {showHidden(formatServerTime(proof.time))}
                </span>
              </span>
              <span>
                <span className="mono" title={resource}>
                  {cutMiddle(resource, 70)}
                </span>{' '}
                of {showHidden(proof.client)}, {showHidden(proof.backup_type)}
                {proof.strategy === null ? '' : ` by ${showHidden(proof.strategy)}`}
              </span>
              <span className="selectable">
                <span className="mono">{showHidden(proof.path)}</span>: {showHidden(proof.reason)}
              </span>
              <span className="muted">{remedy}</span>
            </div>
            <div className="overdue-ways">
              <Button label={`Show copy ${copyId}`} onClick={() => showIn(connectionId, 'Copies', copyId)}>
                Show copy
              </Button>
              {taskId !== null && (
                <Button label={`Show task ${taskId}`} onClick={() => showIn(connectionId, 'Tasks', taskId)}>
                  Show task
                </Button>
              )}
            </div>
          </li>
        );
      })}
      {proofs.length > shownMost && <li className="muted">and {proofs.length - shownMost} more</li>}
    </ul>
  );
}
