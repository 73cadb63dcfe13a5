import { useMemo } from 'react';
import { call } from '../../bridge.ts';
import { type FormValues, flagOf, textOrNull } from '../../shell/form-values.ts';
import { RunsTable } from '../../shell/runs-table.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { useServerZone } from '../../shell/use-server-zone.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, showHidden } from '../../ui/index.ts';

const words = textsOf('strategyRules').ahead;
const watch = { kinds: ['configuration'], pollMs: 60_000, settleMs: 1000 } as const;
/** As many as the field offers. */
const all = { query: { page: 1, limit: 500 } } as const;

/** Beside the form of a rule: when the strategy that is chosen makes its copies next. */
export function RunsAhead(props: { readonly connectionId: string; readonly values: FormValues }) {
  const { connectionId, values } = props;
  const load = useMemo(
    () => (signal: AbortSignal) => call(connectionId, 'strategies.list', all, signal),
    [connectionId],
  );
  const { value, problem, reload } = useAnswer(connectionId, load, watch);
  const serverZone = useServerZone(connectionId);
  const name = textOrNull(values, 'strategy_id');
  const strategy = value?.items.find((one) => one.name === name);
  const runs = strategy?.enabled ? (strategy.next_runs ?? []) : [];
  const notes = [
    name === null ? words.noStrategy : null,
    name !== null && textOrNull(values, 'client_id') === null ? words.noClient : null,
    flagOf(values, 'runs') ? null : words.waits,
    strategy !== undefined && !strategy.enabled ? t('strategies.runs.isOff') : null,
    strategy?.enabled && runs.length === 0 ? t('strategies.runs.none') : null,
    runs.length > 0
      ? t('strategyRules.ahead.of', {
          name: showHidden(name ?? ''),
          zone: showHidden(strategy?.time_zone ?? ''),
        })
      : null,
  ].filter((note) => note !== null);
  return (
    <section aria-label={words.title} className="page-section">
      <h3>{words.title}</h3>
      <div role="status">
        {notes.map((note) => (
          <p key={note} className="muted">
            {note}
          </p>
        ))}
        {value === null && problem === null && name !== null && <p className="muted">{words.asking}</p>}
      </div>
      {problem !== null && (
        <>
          <p role="alert" className="banner banner-warning">
            {t('strategyRules.ahead.failed', { reason: showHidden(problem.reason) })}
          </p>
          <div>
            <Button onClick={reload}>{t('common.retry')}</Button>
          </div>
        </>
      )}
      {strategy !== undefined && runs.length > 0 && (
        <RunsTable
          label={words.title}
          runs={runs}
          zone={strategy.time_zone}
          {...(serverZone === undefined ? {} : { serverZone })}
        />
      )}
    </section>
  );
}
