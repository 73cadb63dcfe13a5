import { CircleAlert, WifiOff } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { t } from '../texts/index.ts';
import { Button } from './button.tsx';
import { formatClock, formatDuration } from './format.ts';
import { showHidden } from './text.ts';

export function EmptyState(props: { readonly text: string; readonly action?: ReactNode }) {
  return (
    <div className="state">
      <p className="muted">{props.text}</p>
      {props.action}
    </div>
  );
}

/** Skeleton rows, but only when the wait is long enough to be noticed. */
export function LoadingRows(props: { readonly rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div className="state" aria-busy="true" />;
  const widths = [62, 48, 71, 55, 66, 44, 58, 69];
  return (
    <div aria-busy="true" role="status" aria-label={t('ui.loading')} style={{ flex: 1 }}>
      {Array.from({ length: props.rows ?? 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={index} className="skeleton" style={{ width: `${widths[index % widths.length]}%` }} />
      ))}
    </div>
  );
}

export function FailedState(props: {
  readonly what: string;
  readonly reason: string;
  readonly since: number;
  /** Epoch ms of the next try that happens by itself. */
  readonly retryAt?: number | null;
  readonly onRetry: () => void;
}) {
  return (
    <div className="state" role="alert">
      <CircleAlert size={24} aria-hidden className="meaning-error" />
      <h2>{props.what}</h2>
      <p className="selectable">{showHidden(props.reason)}</p>
      <p className="caption">
        {t('ui.states.since', { time: formatClock(props.since) })}
        <Countdown to={props.retryAt ?? null} />
      </p>
      <Button onClick={props.onRetry}>{t('common.retry')}</Button>
    </div>
  );
}

/** Seconds to the next try. Hidden from screen readers, which would say every one of them. */
function Countdown(props: { readonly to: number | null }) {
  const { to } = props;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (to === null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [to]);
  if (to === null) return null;
  const seconds = Math.max(0, Math.ceil((to - now) / 1000));
  const text =
    seconds === 0 ? t('ui.states.nextTryNow') : t('ui.states.nextTry', { time: formatDuration(seconds) });
  return <span aria-hidden> {text}</span>;
}

/** True where a bar above says already that all of this is from before: with the one reason that counts, and once. */
export const IsKnownStale = createContext(false);

/** The data shown are from before; they stay, and this says so. */
export function StaleBar(props: {
  readonly since: number;
  readonly reason: string;
  readonly retryAt?: number | null;
  readonly onRetry: () => void;
}) {
  if (useContext(IsKnownStale)) return null;
  return (
    <div className="stale" role="status">
      <WifiOff size={16} aria-hidden />
      <span>
        {t('ui.states.stale', { time: formatClock(props.since), reason: showHidden(props.reason) })}
        <Countdown to={props.retryAt ?? null} />
      </span>
      <Button kind="quiet" onClick={props.onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  );
}
