type Filters = Readonly<Record<string, string>>;

/** One property that a list can be narrowed by. */
export function Filter(props: {
  readonly label: string;
  /** The words for no filter. */
  readonly all: string;
  readonly value: string | undefined;
  /** Value and word. */
  readonly choices: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <select
      className="input filter"
      aria-label={props.label}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.target.value)}
    >
      <option value="">{props.all}</option>
      {props.choices.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  );
}

/** The filters with one of them changed; an empty value takes it away. */
export function withFilter(filters: Filters, change: Filters): Filters {
  return Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value !== ''));
}
