import { t } from '../texts/index.ts';

/** Filters the list beside it while one types. */
export function SearchBox(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <input
      type="search"
      className="input search"
      aria-label={props.label}
      placeholder={t('ui.search')}
      value={props.value}
      spellCheck={false}
      data-list-search
      onChange={(event) => props.onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || props.value === '') return;
        event.stopPropagation();
        props.onChange('');
      }}
    />
  );
}
