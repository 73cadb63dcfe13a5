import { useCallback, useEffect, useRef, useState } from 'react';
import type { PoolDestination } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { callerOf } from '../../bridge.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { showIn, showList, tellFailure, tellTask } from '../../shell/tell.ts';
import { AskFailure, useAsked } from '../../shell/use-asked.tsx';
import { refreshList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Dialog, formatBytes, LoadingRows, SelectField, showHidden } from '../../ui/index.ts';
import { TransferLines } from './transfer-lines.tsx';
import {
  beginTransfers,
  isShortOfRoom,
  mostBytes,
  obstacleFor,
  planTransfer,
  type TransferKind,
  type TransferOutcome,
} from './transfer-plan.ts';
import { poolChoiceText, refusalText } from './transfer-texts.ts';
import './copies.css';

const words = textsOf('transfer');
const common = textsOf('common');
const nothingTried: TransferOutcome = { begun: new Map(), refused: new Map(), stoppedBy: null };

/**
 * Brings copies to another pool: each says what becomes of it or why it stays. It closes once all that can go are on
 * their way; what the server refuses stays, with its reason.
 */
export function TransferDialog(props: {
  readonly connectionId: string;
  readonly kind: TransferKind;
  readonly copies: readonly Copy[];
  readonly onClose: () => void;
}) {
  const { connectionId, kind, copies, onClose } = props;
  const asked = useAsked(
    (signal) => planTransfer(callerOf(connectionId), kind, copies, signal),
    [connectionId, kind, copies],
  );
  const { answer: plan, failure } = asked;
  const [chosen, setChosen] = useState<string | null>(null);
  const [tried, setTried] = useState(nothingTried);
  const [isBusy, setBusy] = useState(false);
  const isClosed = useIsClosed();
  const pools = plan?.destinations ?? [];
  // A single pool needs no choice.
  const wanted = chosen ?? (pools.length === 1 ? pools[0]?.pool_name : undefined);
  const target = pools.find((pool) => pool.pool_name === wanted) ?? null;
  const isAble = (copy: Copy) => plan !== null && obstacleFor(kind, copy, plan, target) === null;
  const waiting = copies.filter((copy) => isAble(copy) && !tried.begun.has(copy.id));

  const start = async (pool: PoolDestination) => {
    const outcome = await beginTransfers(callerOf(connectionId), kind, waiting, pool.pool_name);
    const all = { ...outcome, begun: new Map([...tried.begun, ...outcome.begun]) };
    setTried(all);
    const isWhole = outcome.stoppedBy === null && outcome.refused.size === 0;
    if (isWhole || isClosed()) tellBegun(connectionId, kind, pool.pool_name, outcome.begun);
    if (isClosed()) {
      if (!isWhole) tellRefused(outcome, copies);
    } else if (isWhole) onClose();
  };
  const submit = () => {
    if (target === null) return;
    setBusy(true);
    tellFailure(start(target).finally(() => setBusy(false)));
  };
  const reason = () => {
    if (failure !== null) return words.unknown;
    if (plan === null) return words.looking;
    if (!copies.some(isAble)) return words.noneCan;
    if (pools.length === 0) return words.noPool;
    if (target === null) return words.choose;
    return waiting.length === 0 ? words.allBegun : null;
  };
  const summary = () => {
    if (target === null) return words[kind].meaning;
    if (waiting.length === 0) return reason();
    return summaryText(kind, waiting, copies.length - waiting.length - tried.begun.size, target);
  };
  return (
    <Dialog
      title={words[kind].title}
      submitLabel={words[kind].submit}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problemText(tried)}
      submitDisabledBecause={reason()}
      cancelLabel={tried.begun.size > 0 ? common.close : undefined}
      summary={summary()}
    >
      <AskFailure asked={asked} what={words.unknown} />
      {plan === null && failure === null && <LoadingRows rows={3} />}
      {plan !== null && pools.length === 0 && copies.some(isAble) && (
        <div className="banner banner-warning" role="alert">
          {words.noPool}
        </div>
      )}
      {pools.length > 0 && (
        <SelectField
          label={words.pool}
          value={target?.pool_name ?? ''}
          choices={[
            ...(target === null ? [{ value: '', label: words.choose }] : []),
            ...pools.map((pool) => ({ value: pool.pool_name, label: poolChoiceText(pool) })),
          ]}
          onChange={(name) => {
            setChosen(name);
            setTried(({ begun }) => ({ ...nothingTried, begun }));
          }}
          error={poolError(tried)}
        />
      )}
      {target !== null && isShortOfRoom(waiting, target) && (
        <div className="banner banner-warning" role="status">
          {roomText(waiting, target)}
        </div>
      )}
      {plan !== null && (
        <TransferLines
          kind={kind}
          copies={copies}
          plan={plan}
          target={target}
          tried={tried}
          onShowTask={(taskId) => {
            onClose();
            showIn(connectionId, 'Tasks', taskId);
          }}
        />
      )}
    </Dialog>
  );
}

/** Whether the dialog was closed while the server was still asked: then its answer goes into a notice. */
function useIsClosed(): () => boolean {
  const closed = useRef(false);
  useEffect(() => {
    closed.current = false;
    return () => {
      closed.current = true;
    };
  }, []);
  return useCallback(() => closed.current, []);
}

function summaryText(
  kind: TransferKind,
  going: readonly Copy[],
  staying: number,
  target: PoolDestination,
): string {
  const bytes = going.reduce((sum, copy) => sum + (copy.size ?? 0), 0);
  const values = { count: going.length, bytes: formatBytes(bytes), pool: showHidden(target.pool_name) };
  const total = t(`transfer.${kind}.total`, values);
  return staying === 0 ? total : `${total} ${t('transfer.stay', { count: staying })}`;
}

function roomText(going: readonly Copy[], target: PoolDestination): string {
  const needed = going.reduce((sum, copy) => sum + mostBytes(copy, target), 0);
  return t('transfer.noRoom', {
    pool: showHidden(target.pool_name),
    free: formatBytes(target.free_space),
    needed: formatBytes(needed),
  });
}

function problemText({ begun, refused, stoppedBy }: TransferOutcome): string | null {
  if (stoppedBy !== null) {
    return begun.size === 0
      ? stoppedBy.message
      : t('transfer.stopped', { count: begun.size, reason: stoppedBy.message });
  }
  return refused.size === 0 ? null : t('transfer.refused', { count: refused.size });
}

/** A reason about the pool stands at the field too. */
function poolError({ refused }: TransferOutcome): string | undefined {
  return [...refused.values()].flatMap((problem) => problem.errors?.pool_name ?? [])[0];
}

function tellBegun(
  connectionId: string,
  kind: TransferKind,
  pool: string,
  begun: ReadonlyMap<number, number>,
): void {
  const tasks = [...begun.values()];
  const [first] = tasks;
  if (first === undefined) return;
  const message = t(`transfer.${kind}.begun`, { count: tasks.length, pool: showHidden(pool) });
  if (tasks.length === 1) {
    tellTask(connectionId, message, first);
    return;
  }
  refreshList(connectionId, 'Tasks');
  showNotice({
    level: 'info',
    message,
    action: {
      label: words.showTasks,
      run: () => showList(connectionId, 'Tasks', { filters: { task_type: kind } }),
    },
  });
}

function tellRefused(outcome: TransferOutcome, copies: readonly Copy[]): void {
  const reasons = copies.flatMap((copy) => {
    const problem = outcome.refused.get(copy.id);
    return problem === undefined ? [] : [refusalText(problem, copy)];
  });
  const { refused, stoppedBy } = outcome;
  const head = refused.size === 0 ? '' : t('transfer.refusedSince', { count: refused.size });
  const message = [stoppedBy?.message ?? '', head, ...reasons.slice(0, 3)].filter(Boolean).join(' ');
  showNotice({ level: 'error', message });
}
