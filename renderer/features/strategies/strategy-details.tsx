import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { formatServerTime, showHidden } from '../../ui/index.ts';

/** What a strategy does, and when it does it next: on the server's clock and in UTC. */
export function StrategyDetails(props: { readonly strategy: Strategy }) {
  const { strategy } = props;
  return (
    <section aria-label="Strategy details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(strategy.name)}</h2>
      </div>
      <Facts
        facts={[
          ['State', strategy.enabled ? 'on' : 'off: no copies are made by it'],
          ['Pool', showHidden(strategy.pool)],
          ['Kept for', strategy.storage_duration ?? 'as the pool says'],
          ['Encryption', showHidden(strategy.crypto)],
          ['Priority', String(strategy.priority)],
          ['Capacity', strategy.capacity === 0 ? 'no limit' : `${strategy.capacity} GB`],
          ['Time zone', showHidden(strategy.time_zone)],
          ['Valid from', strategy.valid_from === null ? null : formatServerTime(strategy.valid_from)],
          ['Valid until', strategy.valid_until === null ? null : formatServerTime(strategy.valid_until)],
          ['Verified again after', strategy.verify_period === null ? null : `${strategy.verify_period} days`],
          ['Rules', String(strategy.rules_count)],
        ]}
      />
      <h3>Next runs</h3>
      {strategy.next_runs.length === 0 ? (
        <p className="muted">No schedule falls due.</p>
      ) : (
        <ul className="lines">
          {strategy.next_runs.map((run) => (
            <li key={`${run.time} ${run.backup_type}`}>
              <span className="grow">{formatServerTime(run.time)}</span>
              <span className="caption mono">{showHidden(run.utc)}</span>
              <span>{showHidden(run.backup_type)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
