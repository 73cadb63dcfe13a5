import { textsOf } from '../texts/index.ts';
import { type Severity, severities } from './backend-log.ts';

const words = textsOf('shell').log;

/** How severe the lines of a log must be to be shown. */
export function SeverityFilter(props: {
  readonly value: Severity;
  readonly onChange: (severity: Severity) => void;
}) {
  return (
    <select
      className="input filter"
      style={{ width: 'auto' }}
      aria-label={words.severity}
      value={props.value}
      onChange={(event) => {
        const chosen = severities.find((one) => one === event.target.value);
        if (chosen !== undefined) props.onChange(chosen);
      }}
    >
      {severities.map((one) => (
        <option key={one} value={one}>
          {words.severities[one]}
        </option>
      ))}
    </select>
  );
}
