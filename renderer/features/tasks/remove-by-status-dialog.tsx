import { useEffect, useState } from 'react';
import { type RemovableStatus, removableStatuses } from '../../../contract/tasks/task-states.ts';
import { callerOf, problemOf } from '../../bridge.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { statusWord } from '../../shell/task-words.ts';
import { forgetInList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, Checkbox, Dialog, LoadingRows, showHidden } from '../../ui/index.ts';
import { countByStatus, countOf, removeByStatus, type StatusCounts } from './remove-by-status.ts';

const words = textsOf('tasks').byStatus;
const common = textsOf('common');

/** Takes away all tasks of some statuses, after it said how many these are and got a second yes. */
export function RemoveByStatusDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const { counts, failure, count } = useCounts(connectionId);
  const [chosen, setChosen] = useState<ReadonlySet<RemovableStatus>>(new Set());
  const [isSure, setSure] = useState(false);
  const hit = counts === null ? 0 : countOf(counts, chosen);
  const { isBusy, problem, submit } = useSubmit(async () => {
    const gone: number[] = [];
    const statuses = removableStatuses.filter((status) => chosen.has(status));
    try {
      await removeByStatus(callerOf(connectionId), statuses, (ids) => {
        for (const id of ids) gone.push(id);
      });
    } catch (error) {
      // Some may have gone; what is asked for next is what is there now.
      setSure(false);
      count();
      throw error;
    } finally {
      await forgetInList(connectionId, 'Tasks', gone);
      if (gone.length > 0)
        showNotice({ level: 'info', message: t('tasks.byStatus.deleted', { count: gone.length }) });
    }
  }, onClose);
  const reason = () => {
    if (counts === null) return failure ?? words.counting;
    if (hit === 0) return words.chooseFirst;
    return isSure ? null : words.tickFirst;
  };
  const choose = (status: RemovableStatus, isOn: boolean) => {
    // Another choice is another question.
    setSure(false);
    setChosen((before) => {
      const next = new Set(before);
      if (isOn) next.add(status);
      else next.delete(status);
      return next;
    });
  };
  return (
    <Dialog
      title={words.title}
      submitLabel={common.deleteNow}
      onSubmit={submit}
      onClose={onClose}
      isDestructive
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={reason()}
      summary={words.summary}
    >
      {failure !== null && (
        <div className="banner banner-error" role="alert">
          <span className="grow-text selectable">{showHidden(failure)}</span>
          <Button onClick={count}>{common.retry}</Button>
        </div>
      )}
      {counts === null && failure === null && <LoadingRows rows={3} />}
      {counts !== null && (
        <fieldset className="radio-group" aria-label={words.statuses}>
          {removableStatuses.map((status) => (
            <Checkbox
              key={status}
              label={t('tasks.byStatus.choice', { status: statusWord(status), count: counts[status] })}
              checked={chosen.has(status)}
              onChange={(isOn) => choose(status, isOn)}
            />
          ))}
        </fieldset>
      )}
      {hit > 0 && (
        <Checkbox
          label={t('tasks.byStatus.understand', { count: hit })}
          checked={isSure}
          onChange={setSure}
        />
      )}
    </Dialog>
  );
}

function useCounts(connectionId: string) {
  const [counts, setCounts] = useState<StatusCounts | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try asks again
  useEffect(() => {
    const stop = new AbortController();
    setFailure(null);
    countByStatus(callerOf(connectionId), stop.signal).then(
      (found) => !stop.signal.aborted && setCounts(found),
      (error: unknown) => !stop.signal.aborted && setFailure(problemOf(error).message),
    );
    return () => stop.abort();
  }, [connectionId, tries]);
  return { counts, failure, count: () => setTries((before) => before + 1) };
}
