import type { FieldErrors } from '../../../contract/problem.ts';
import type { SchedulePreviewQuery } from '../../../contract/strategies/schedule-preview.ts';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { type FormValues, flagOf, textOrNull } from '../../shell/form-values.ts';
import { RunsTable } from '../../shell/runs-table.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { Button, showHidden } from '../../ui/index.ts';
import { usePreview } from './use-preview.ts';
import { validityOf } from './validity.ts';

const words = textsOf('strategies').preview;
const shown = ['full_schedule', 'differential_schedule', 'incremental_schedule', 'time_zone'] as const;

/** Beside the form of a strategy: what its schedules lead to while they are typed, before anything is saved. */
export function LiveRuns(props: {
  readonly connectionId: string;
  /** Null: a new one. */
  readonly strategy: Strategy | null;
  readonly values: FormValues;
  readonly onErrors: (errors: FieldErrors) => void;
}) {
  const { strategy, values } = props;
  const { state, last, retry } = usePreview(props.connectionId, queryOf(values, strategy), props.onErrors);
  const isNone = state.kind === 'shown' && state.preview.next_runs.length === 0;
  const isNever = isNone && hasSchedule(values);
  const isShown = state.kind === 'shown' || state.kind === 'waiting';
  return (
    <section aria-label={words.title} className="page-section">
      <h3>{words.ahead}</h3>
      <p
        className={
          state.kind === 'wrong' || state.kind === 'failed' || isNever ? 'banner banner-warning' : 'muted'
        }
        role="status"
      >
        {state.kind === 'wrong' && words.correct}
        {state.kind === 'failed' && t('strategies.preview.failed', { reason: showHidden(state.reason) })}
        {state.kind === 'waiting' && words.asking}
        {isNone && (isNever ? words.neverAgain : words.noSchedule)}
        {state.kind === 'shown' &&
          !isNone &&
          t('strategies.preview.notSaved', { zone: showHidden(state.preview.time_zone) })}
      </p>
      {state.kind === 'failed' && (
        <div>
          <Button onClick={retry}>{t('common.retry')}</Button>
        </div>
      )}
      {!flagOf(values, 'enabled') && <p className="muted">{t('strategies.runs.isOff')}</p>}
      {isShown && last !== null && last.next_runs.length > 0 && (
        <RunsTable
          label={words.tableAhead}
          runs={last.next_runs}
          zone={last.time_zone}
          serverZone={last.server_time_zone}
        />
      )}
    </section>
  );
}

function hasSchedule(values: FormValues): boolean {
  return shown.slice(0, 3).some((name) => textOrNull(values, name) !== null);
}

/** An empty field is none. */
function queryOf(values: FormValues, strategy: Strategy | null): SchedulePreviewQuery {
  const given = shown.flatMap((name) => {
    const text = textOrNull(values, name);
    return text === null ? [] : [[name, text]];
  });
  const validity = (['valid_from', 'valid_until'] as const).flatMap((name) => {
    const time = validityOf(values, name, strategy);
    return time === null ? [] : [[name, time]];
  });
  return Object.fromEntries([...given, ...validity]);
}
