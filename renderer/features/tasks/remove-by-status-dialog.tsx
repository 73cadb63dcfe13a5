import { useState } from 'react';
import { type RemovableStatus, removableStatuses } from '../../../contract/tasks/task-states.ts';
import { callerOf } from '../../bridge.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { statusWord } from '../../shell/task-words.ts';
import { AskFailure, useAsked } from '../../shell/use-asked.tsx';
import { forgetInList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Checkbox, Dialog, LoadingRows } from '../../ui/index.ts';
import { countByStatus, countOf, removeByStatus } from './remove-by-status.ts';

const words = textsOf('tasks').byStatus;
const common = textsOf('common');

/** Takes away all tasks of some statuses, after it said how many these are and got a second yes. */
export function RemoveByStatusDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const asked = useAsked((signal) => countByStatus(callerOf(connectionId), signal), [connectionId]);
  const { answer: counts, failure } = asked;
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
      asked.again();
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
      <AskFailure asked={asked} />
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
