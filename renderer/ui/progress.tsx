import type { Meaning } from './status.tsx';
import { showHidden } from './text.ts';

/** `percent` null: it cannot be told how far the work is. */
export function Progress(props: {
  readonly label: string;
  readonly percent: number | null;
  readonly text?: string;
  /** What has become of the work; while it goes on, running. */
  readonly meaning?: Meaning;
}) {
  const { percent } = props;
  const value = percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={showHidden(props.label)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={value ?? undefined}
      aria-valuetext={props.text}
    >
      <div
        className={`progress-value meaning-${props.meaning ?? 'running'}${value === null ? ' progress-busy' : ''}`}
        style={value === null ? undefined : { width: `${value}%` }}
      />
    </div>
  );
}
