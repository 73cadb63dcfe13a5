import { Fragment, useState } from 'react';
import type { FieldErrors } from '../../contract/problem.ts';
import { Dialog, Disclosure } from '../ui/index.ts';
import { FieldList } from './field-list.tsx';
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
  const wrong = { ...errors, ...found };
  const drawnGroup = ({ place, name: group, members }: Group) => {
    const drawn = (
      <FieldList
        key={place}
        fields={members}
        values={values}
        errors={wrong}
        first={shown[0]}
        onChange={set}
      />
    );
    if (group === undefined) return drawn;
    return (
      <Disclosure key={group} label={group} hasError={members.some(({ name }) => wrong[name] !== undefined)}>
        {drawn}
      </Disclosure>
    );
  };
  const fields = neighbours(shown, ({ section }) => section).map(({ place, name, members }) => {
    const groups = neighbours(members, ({ group }) => group).map(drawnGroup);
    if (name === undefined) return <Fragment key={place}>{groups}</Fragment>;
    return (
      <div key={place} className="form-section">
        <h3>{name}</h3>
        {groups}
      </div>
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
      isPanel={form.aside !== undefined || form.fields.some(({ section }) => section !== undefined)}
      hasUnsaved={form.fields.some(({ name }) => values[name] !== form.initial[name])}
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

interface Group {
  readonly place: number;
  readonly name: string | undefined;
  readonly members: readonly FormField[];
}

/** Neighbours under one name, or under none. */
function neighbours(
  fields: readonly FormField[],
  nameOf: (field: FormField) => string | undefined,
): readonly Group[] {
  const groups: (Group & { readonly members: FormField[] })[] = [];
  for (const field of fields) {
    const last = groups.at(-1);
    const name = nameOf(field);
    if (last !== undefined && last.name === name) last.members.push(field);
    else groups.push({ place: groups.length, name, members: [field] });
  }
  return groups;
}
