import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { type FormValues, textOrNull } from '../../shell/form-values.ts';
import { RunsTable } from '../../shell/runs-table.tsx';
import { t, textsOf } from '../../texts/index.ts';

const words = textsOf('strategies').preview;
const shown = ['full_schedule', 'differential_schedule', 'incremental_schedule', 'time_zone'] as const;

/** Beside the form of a strategy: what its saved schedules lead to, and that others have to be saved first. */
export function SavedRuns(props: { readonly strategy: Strategy; readonly values: FormValues }) {
  const { strategy, values } = props;
  const isChanged = shown.some((name) => textOrNull(values, name) !== (strategy[name] ?? null));
  const runs = strategy.next_runs ?? [];
  return (
    <section aria-label={words.title} className="page-section">
      <h3>{words.asSaved}</h3>
      <p className={isChanged ? 'banner banner-warning' : 'muted'} role="status">
        {isChanged ? words.unsaved : words.followsSaving}
      </p>
      {!strategy.enabled && <p className="muted">{t('strategies.runs.isOff')}</p>}
      {strategy.enabled && runs.length === 0 && <p className="muted">{t('strategies.runs.none')}</p>}
      {runs.length > 0 && <RunsTable label={words.tableAsSaved} runs={runs} zone={strategy.time_zone} />}
    </section>
  );
}
