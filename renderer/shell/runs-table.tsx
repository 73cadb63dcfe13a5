import { Fragment } from 'react';
import type { Strategy } from '../../contract/strategies/strategy.ts';
import { t, textsOf, wordFor } from '../texts/index.ts';
import { ColumnHead, cutMiddle, formatTimeOfDay, MeaningIcon, nameInText, showHidden } from '../ui/index.ts';
import { KindMark } from './kind-mark.tsx';
import { type ClockChange, clockChangeBetween, clockNote, localZone, wallTimeIn } from './zone-times.ts';
import './runs-table.css';

const { runs: words, months } = textsOf('strategies');

export type Run = Strategy['next_runs'][number];

/** Runs ahead, on the clocks of the strategy and on those of this computer, with what changes of the clocks do. */
export function RunsTable(props: {
  readonly label: string;
  readonly runs: readonly Run[];
  readonly zone: string | null;
  /** That of the server, for a column of its own where its clocks show something else than both others. */
  readonly serverZone?: string;
}) {
  const { runs } = props;
  const here = localZone();
  // What the server calls a zone may be none here; UTC always is.
  const zone = props.zone !== null && wallTimeIn(props.zone, 0) !== null ? props.zone : 'UTC';
  const differs = (one: string, other: string) =>
    runs.some((run) => `${timeParts(one, run, '')}` !== `${timeParts(other, run, '')}`);
  const isTwice = differs(zone, here);
  const { serverZone = zone } = props;
  const isServerShown = differs(serverZone, zone) && differs(serverZone, here);
  const columns = 2 + Number(isTwice) + Number(isServerShown);
  return (
    <table className="runs" aria-label={props.label}>
      <thead>
        <tr>
          <ColumnHead>{words.columnKind}</ColumnHead>
          <ColumnHead title={words.zoneHint} sorted="ascending">
            {nameInText(zone)} <span className="caption">{isTwice ? words.ofStrategy : words.ofBoth}</span>
          </ColumnHead>
          {isTwice && (
            <ColumnHead>
              {showHidden(here)} <span className="caption">{words.ofComputer}</span>
            </ColumnHead>
          )}
          {isServerShown && (
            <ColumnHead>
              {nameInText(serverZone)} <span className="caption">{words.ofServer}</span>
            </ColumnHead>
          )}
        </tr>
      </thead>
      <tbody>
        {runs.map((run, index) => (
          <Fragment key={`${run.utc} ${run.backup_type}`}>
            <ChangeRow zone={zone} before={runs[index - 1]} run={run} columns={columns} />
            <tr>
              <td>
                <KindMark kind={run.backup_type} />
              </td>
              <RunTime zone={zone} run={run} before={runs[index - 1]} />
              {isTwice && <RunTime zone={here} run={run} before={runs[index - 1]} />}
              {isServerShown && <RunTime zone={serverZone} run={run} before={runs[index - 1]} />}
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** On these clocks, in few words, the year only where it is another one; whole and in UTC in the tooltip. */
function RunTime(props: { readonly zone: string; readonly run: Run; readonly before: Run | undefined }) {
  const { zone, run, before } = props;
  const note = noteText(zone, run);
  const year = before === undefined ? String(new Date().getFullYear()) : yearOf(zone, before);
  return (
    <td title={t('strategies.runs.inUtc', { time: showHidden(run.utc ?? '') })}>
      {timeParts(zone, run, year).map((part, index) => (
        <Fragment key={part}>
          {index > 0 && ' '}
          <span className="runs-part">{part}</span>
        </Fragment>
      ))}
      {note !== null && (
        <span className="runs-note meaning-warning">
          <MeaningIcon meaning="warning" size={12} /> {note}
        </span>
      )}
    </td>
  );
}

function yearOf(zone: string, run: Run): string {
  return wallTimeIn(zone, Date.parse(run.utc ?? ''))?.day.slice(0, 4) ?? '';
}

/** `Sun 31 Mar` and `03:00`, with the year where it is not the known one; what the server wrote, where it is no time. */
function timeParts(zone: string, run: Run, knownYear: string): readonly string[] {
  const wall = wallTimeIn(zone, Date.parse(run.utc ?? ''));
  if (wall === null) return [cutMiddle(showHidden(run.time ?? ''), 60)];
  const [year = '', month = '', day = ''] = wall.day.split('-');
  const parts = {
    weekday: wall.weekday,
    day: Number(day),
    month: wordFor(months, month),
    year,
  };
  const date = t(year === knownYear ? 'strategies.runs.date' : 'strategies.runs.dateOfYear', parts);
  return [date, formatTimeOfDay(wall.time)];
}

/** What a change of the clocks does to the run, if it does anything. */
export function noteText(zone: string, run: Run): string | null {
  const note = clockNote(zone, Date.parse(run.utc ?? ''));
  if (note === null) return null;
  if (note.kind === 'gap')
    return t('strategies.runs.gap', { from: formatTimeOfDay(note.from), to: formatTimeOfDay(note.to) });
  const name = note.turn === 'first' ? 'repeatFirst' : 'repeatSecond';
  return t(`strategies.runs.${name}`, { time: formatTimeOfDay(note.time) });
}

export function changeText(change: ClockChange): string {
  return t('strategies.runs.change', { day: change.day, from: change.from, to: change.to });
}

/** The clocks are changed between this run and the one before. */
function ChangeRow(props: {
  readonly zone: string;
  readonly before: Run | undefined;
  readonly run: Run;
  readonly columns: number;
}) {
  const { before, run, zone } = props;
  if (before === undefined) return null;
  const runMs = Date.parse(run.utc ?? '');
  const change = clockChangeBetween(zone, Date.parse(before.utc ?? ''), runMs);
  // A run at that very moment says it itself.
  if (change === null || change.atMs === runMs) return null;
  return (
    <tr className="runs-change">
      <td colSpan={props.columns}>{changeText(change)}</td>
    </tr>
  );
}
