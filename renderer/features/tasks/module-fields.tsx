import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { Checkbox, SelectField, showHidden, TextField } from '../../ui/index.ts';

export type ModuleValues = Readonly<Record<string, string | number | boolean>>;

/** What a module lets a person tune, as the server lists it; each field begins with the server's own value. */
export function ModuleFields(props: {
  readonly parameters: readonly ExtensionParameter[];
  readonly values: ModuleValues;
  readonly errors: Readonly<Record<string, string | undefined>>;
  readonly onChange: (name: string, value: string | number | boolean) => void;
}) {
  const { parameters, values, errors, onChange } = props;
  return parameters.map((parameter) => {
    const { name, type, description } = parameter;
    const value = values[name] ?? parameter.value ?? '';
    const frame = { label: labelOf(name), help: showHidden(description), error: errors[name] };
    if (type === 'boolean') {
      const change = (next: boolean) => onChange(name, next);
      return <Checkbox key={name} {...frame} checked={value === true} onChange={change} />;
    }
    if (type === 'enum') {
      const choices = (parameter.values ?? []).map((one) => ({ value: one, label: showHidden(one) }));
      return (
        <SelectField
          key={name}
          {...frame}
          value={String(value)}
          choices={choices}
          onChange={(next) => onChange(name, next)}
        />
      );
    }
    const isNumber = type === 'integer';
    const isSecret = name === 'password';
    const kind = isNumber ? 'number' : 'text';
    return (
      <TextField
        key={name}
        {...frame}
        type={isSecret ? 'password' : kind}
        value={String(value)}
        mono={!isNumber && !isSecret}
        onChange={(next) => onChange(name, isNumber && next !== '' ? Number(next) : next)}
      />
    );
  });
}

/** `password_file` → `Password file`. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return showHidden(words.charAt(0).toUpperCase() + words.slice(1));
}
