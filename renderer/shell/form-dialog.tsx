import { useState } from 'react';
import type { FieldErrors } from '../../contract/problem.ts';
import { Checkbox, CheckGroup, Dialog, Disclosure, SelectField, TextArea, TextField } from '../ui/index.ts';
import type { FormField, FormRequest } from './open-dialog.ts';
import { useSubmit } from './use-submit.ts';

export function FormDialog(props: { readonly form: FormRequest; readonly onClose: () => void }) {
  const { form, onClose } = props;
  const [values, setValues] = useState(form.initial);
  /** What is wrong as the values stand, before anything is sent. */
  const [found, setFound] = useState<FieldErrors>({});
  const { isBusy, problem, errors, submit } = useSubmit(
    () => form.submit(values),
    onClose,
    form.fields.map((field) => field.name),
  );
  const set = (name: string, value: string | boolean) =>
    setValues((before) => ({ ...before, [name]: value }));
  const shown = form.fields.filter((field) => field.when === undefined || field.when(values));
  const errorOf = ({ name }: FormField) => found[name] ?? errors[name];
  const fields = groupsOf(shown).map(({ group, members }) => {
    const drawn = members.map((field) => (
      <Field
        key={field.name}
        field={field}
        value={values[field.name] ?? ''}
        error={errorOf(field)}
        isFirst={field === shown[0]}
        onChange={(value) => set(field.name, value)}
      />
    ));
    if (group === undefined) return drawn;
    return (
      <Disclosure key={group} label={group} hasError={members.some((field) => errorOf(field) !== undefined)}>
        {drawn}
      </Disclosure>
    );
  });
  return (
    <Dialog
      title={form.title}
      submitLabel={form.submitLabel}
      summary={form.summary}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      isWide={form.aside !== undefined}
    >
      {form.aside === undefined ? (
        fields
      ) : (
        <div className="form-with-aside">
          <div className="form-fields">{fields}</div>
          <div className="form-aside">{form.aside(values, setFound)}</div>
        </div>
      )}
    </Dialog>
  );
}

/** Neighbours under one name, or under none. */
function groupsOf(fields: readonly FormField[]) {
  const groups: { readonly group: string | undefined; readonly members: FormField[] }[] = [];
  for (const field of fields) {
    const last = groups.at(-1);
    if (last !== undefined && last.group === field.group) last.members.push(field);
    else groups.push({ group: field.group, members: [field] });
  }
  return groups;
}

/** One field of a form, also of a dialog that draws itself. */
export function Field(props: {
  readonly field: FormField;
  readonly value: string | boolean;
  readonly error: string | undefined;
  readonly isFirst?: boolean;
  readonly onChange: (value: string | boolean) => void;
}) {
  const { field, value, error, onChange } = props;
  const frame = { label: field.label, help: field.help, error };
  if (field.type === 'checkbox') {
    return <Checkbox {...frame} checked={value === true} onChange={onChange} />;
  }
  if (field.type === 'select') {
    return <SelectField {...frame} value={String(value)} choices={field.choices ?? []} onChange={onChange} />;
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
