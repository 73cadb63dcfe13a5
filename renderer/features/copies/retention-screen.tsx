import { useEffect, useMemo, useRef, useState } from 'react';
import { callerOf } from '../../bridge.ts';
import { ExpiryHoldBanner } from '../../shell/expiry-hold.tsx';
import { useExtension } from '../../shell/rights.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { textsOf } from '../../texts/index.ts';
import { EmptyState, FailedState, LoadingRows, StaleBar } from '../../ui/index.ts';
import { momentOf, serverTextOf } from './moments.ts';
import { type Horizon, loadHorizon, loadOutlook, type Outlook } from './outlook.ts';
import { RetentionList } from './retention-list.tsx';
import { RetentionTime } from './retention-time.tsx';

const words = textsOf('retention');
const watch = { kinds: ['repository', 'configuration'], pollMs: 60_000, settleMs: 1000 } as const;
/** How long the slider has to rest before the server is asked. */
const restMs = 200;

/** What will be there at a moment to come, and why. */
export function RetentionScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const asksZone = useExtension(connectionId, 'schedule_preview');
  const load = useMemo(
    () => (signal: AbortSignal) =>
      loadHorizon(callerOf(connectionId), { asksZone, nowMs: Date.now() }, signal),
    [connectionId, asksZone],
  );
  const { value: horizon, problem, reload } = useAnswer(connectionId, load, watch);
  return (
    <>
      <div className="toolbar">
        <h1>{textsOf('copies').title}</h1>
        <span className="muted">{words.hint}</span>
      </div>
      <ExpiryHoldBanner connectionId={connectionId} />
      {horizon === null && problem === null && <LoadingRows />}
      {horizon === null && problem !== null && (
        <FailedState what={words.notShown} reason={problem.reason} since={problem.since} onRetry={reload} />
      )}
      {horizon !== null && <AtMoment connectionId={connectionId} horizon={horizon} />}
    </>
  );
}

function AtMoment(props: { readonly connectionId: string; readonly horizon: Horizon }) {
  const { connectionId, horizon } = props;
  /** Null: now. */
  const [at, setAt] = useState<string | null>(null);
  const asked = useRested(at, restMs);
  const load = useMemo(
    () => (signal: AbortSignal) => loadOutlook(callerOf(connectionId), asked, signal),
    [connectionId, asked],
  );
  const { value, problem, reload } = useAnswer(connectionId, load, watch);
  // While the slider moves the answer before stays on the screen.
  const last = useRef<Outlook | null>(null);
  if (value !== null) last.current = value;
  const shown = value ?? last.current;
  const isWrong = problem !== null && value === null;
  const choose = (momentMs: number | null) =>
    setAt(momentMs === null || momentMs <= horizon.nowMs ? null : serverTextOf(momentMs));
  return (
    <div className="retention">
      <RetentionTime
        horizon={horizon}
        atMs={at === null ? horizon.nowMs : (momentOf(at) ?? horizon.nowMs)}
        error={isWrong && at !== null ? problem.reason : null}
        onChange={choose}
      />
      {problem !== null && value !== null && (
        <StaleBar since={problem.since} reason={problem.reason} onRetry={reload} />
      )}
      {isWrong && at === null && (
        <FailedState what={words.notShown} reason={problem.reason} since={problem.since} onRetry={reload} />
      )}
      {!isWrong && shown === null && <LoadingRows />}
      {!isWrong && shown !== null && shown.total === 0 && <EmptyState text={words.nothingToKeep} />}
      {!isWrong && shown !== null && shown.total > 0 && (
        <RetentionList outlook={shown} at={asked} isBusy={value === null || asked !== at} />
      )}
    </div>
  );
}

/** The value once it has not changed for a while. */
function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}
