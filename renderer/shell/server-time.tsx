import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { t } from '../texts/index.ts';
import { formatServerTime, formatTimeOfDay, showHidden, thinDash } from '../ui/index.ts';
import { shell } from './shell-store.ts';
import { localZone, momentIn, wallTimeIn } from './zone-times.ts';

/** Time zone of the server whose screens are shown; empty where it is not known. */
export const ServerZone = createContext('');

/**
 * A time as the server wrote it, on the clock that a person chose. Where the zone of the server is known, the tooltip has
 * the same moment on the clocks of this computer; by a setting it stands beside, wherever the two differ.
 */
export function ServerTime(props: { readonly text: string | null | undefined }) {
  const { text } = props;
  const zone = useContext(ServerZone);
  const isBeside = useStore(shell, (state) => state.settings.localTimes === 'beside');
  if (text === null || text === undefined || text === '') return thinDash;
  const here = zone === '' ? null : hereText(zone, text);
  return (
    <span title={titleOf(zone, text, here)}>
      {showHidden(formatServerTime(text))}
      {isBeside && here?.isOther && <span className="muted"> ({here.short})</span>}
    </span>
  );
}

interface Here {
  /** The clocks of this computer show something else. */
  readonly isOther: boolean;
  /** `08:01`, with the day where that is another one. */
  readonly short: string;
  readonly whole: string;
  readonly utc: string;
}

function hereText(zone: string, text: string): Here | null {
  const momentMs = momentIn(zone, text);
  const there = momentMs === null ? null : wallTimeIn(zone, momentMs);
  const wall = momentMs === null ? null : wallTimeIn(localZone(), momentMs);
  if (momentMs === null || there === null || wall === null) return null;
  const time = formatTimeOfDay(wall.time);
  return {
    isOther: wall.day !== there.day || wall.time !== there.time,
    short:
      wall.day === there.day
        ? formatTimeOfDay(wall.time.slice(0, 5))
        : `${wall.weekday} ${formatTimeOfDay(wall.time.slice(0, 5))}`,
    whole: `${wall.day} ${time}`,
    utc: new Date(momentMs).toISOString().slice(0, 19).replace('T', ' '),
  };
}

function titleOf(zone: string, text: string, here: Here | null): string {
  const server = showHidden(formatServerTime(text));
  if (here === null) return t('shell.times.zoneUnknown', { time: server });
  return [
    t('shell.times.ofServer', { time: server, zone }),
    t('shell.times.ofComputer', { time: here.whole, zone: localZone() }),
    `${here.utc} UTC`,
  ].join('\n');
}

/** The same where a value is wanted, as in a cell or a list of facts. */
export function serverTime(text: string | null | undefined) {
  return <ServerTime text={text} />;
}
