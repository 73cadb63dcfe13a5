import type { FieldErrors } from '../../contract/problem.ts';
import { Field } from './form-dialog.tsx';
import type { FormValues } from './form-values.ts';
import type { FormField } from './open-dialog.ts';

/** Fields as those of a form, in a dialog that draws itself. */
export function FieldList(props: {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly errors: FieldErrors;
  readonly onChange: (name: string, value: string | boolean) => void;
}) {
  const { fields, values, errors, onChange } = props;
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      error={errors[field.name]}
      onChange={(value) => onChange(field.name, value)}
    />
  ));
}
