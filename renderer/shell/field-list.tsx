import type { FieldErrors } from '../../contract/problem.ts';
import { Checkbox, CheckGroup, SelectField, TextArea, TextField } from '../ui/index.ts';
import type { FormValues } from './form-values.ts';
import type { FormField } from './open-dialog.ts';

/** The fields of a form, also of a dialog that draws itself. */
export function FieldList(props: {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly errors: FieldErrors;
  /** The one that a person begins with, if it is among them. */
  readonly first?: FormField | undefined;
  readonly onChange: (name: string, value: string | boolean) => void;
}) {
  const { fields, values, errors, first, onChange } = props;
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      error={errors[field.name]}
      isFirst={field === first}
      onChange={(value) => onChange(field.name, value)}
    />
  ));
}

function Field(props: {
  readonly field: FormField;
  readonly value: string | boolean;
  readonly error: string | undefined;
  readonly isFirst?: boolean;
  readonly onChange: (value: string | boolean) => void;
}) {
  const { field, value, error, onChange } = props;
  const frame = { label: field.label, labelNote: field.labelNote, help: field.help, error };
  if (field.type === 'checkbox') {
    return <Checkbox {...frame} checked={value === true} onChange={onChange} />;
  }
  if (field.type === 'select') {
    return (
      <SelectField
        {...frame}
        value={String(value)}
        choices={field.choices ?? []}
        search={field.search}
        onChange={onChange}
      />
    );
  }
  if (field.type === 'checks') {
    return <CheckGroup {...frame} value={String(value)} choices={field.choices ?? []} onChange={onChange} />;
  }
  if (field.type === 'textarea') {
    return <TextArea {...frame} value={String(value)} onChange={onChange} />;
  }
  return (
    <TextField
      {...frame}
      type={field.type}
      value={String(value)}
      autoFocus={props.isFirst === true}
      onChange={onChange}
      {...(field.list === undefined ? {} : { list: field.list })}
    />
  );
}
