import { useEffect, useMemo, useState } from 'react';
import { changeText } from '../../shell/runs-table.tsx';
import { useServerZone } from '../../shell/use-server-zone.ts';
import { clockChangeBetween, wallTimeIn } from '../../shell/zone-times.ts';
import { t, textsOf } from '../../texts/index.ts';
import { formatDuration, formatTimeOfDay, MeaningIcon, showHidden } from '../../ui/index.ts';
import { type ServiceWindow, serviceWindows } from './service-windows.ts';

const words = textsOf('configuration').windows;
const shown = 3;
const everyMs = 60_000;

/** When cleaning may begin next, by the clocks of the server; nothing where the server does not tell its zone. */
export function WindowPreview(props: {
  readonly connectionId: string;
  /** As they are to be: changes that are not saved yet count. */
  readonly start: string;
  readonly end: string;
}) {
  const { start, end } = props;
  const zone = useServerZone(props.connectionId);
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, []);
  const windows = useMemo(
    () => (zone === undefined ? null : serviceWindows({ start, end, zone }, nowMs, shown)),
    [start, end, zone, nowMs],
  );
  if (zone === undefined || windows === null) return null;
  return (
    <div role="group" aria-label={words.title} className="page-section">
      <h3>{words.title}</h3>
      <p className="muted">{t('configuration.windows.zone', { zone: showHidden(zone) })}</p>
      {windows === 'all' ? (
        <p>{words.all}</p>
      ) : (
        <ul className="lines">
          {windows.map((one) => (
            <Line key={one.fromMs} zone={zone} window={one} isOpen={one.fromMs <= nowMs} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Line(props: { readonly zone: string; readonly window: ServiceWindow; readonly isOpen: boolean }) {
  const { zone, window } = props;
  const { fromMs, toMs } = window;
  const change = clockChangeBetween(zone, fromMs - 1000, toMs);
  const times = {
    from: momentText(zone, fromMs),
    to: momentText(zone, toMs),
    length: formatDuration((toMs - fromMs) / 1000),
  };
  return (
    <li>
      <span>
        {props.isOpen ? t('configuration.windows.open', times) : t('configuration.windows.ahead', times)}
      </span>
      {change !== null && (
        <span className="meaning-warning">
          <MeaningIcon meaning="warning" size={12} /> {changeText(change)}
        </span>
      )}
    </li>
  );
}

/** `Sun 2030-03-31 22:00` */
function momentText(zone: string, timeMs: number): string {
  const wall = wallTimeIn(zone, timeMs);
  return wall === null ? '' : `${wall.weekday} ${wall.day} ${formatTimeOfDay(wall.time)}`;
}
