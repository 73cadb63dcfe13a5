import type { ExtensionParameter } from '../../contract/tasks/module-parameters.ts';
import { isWithoutAnswer, problemOf } from '../bridge.ts';
import { textsOf } from '../texts/index.ts';
import { cutMiddle, nameInText, showHidden } from '../ui/index.ts';
import { type FormValues, flagOf, numberOrNull, textOf } from './form-values.ts';
import type { FormField } from './open-dialog.ts';

const words = textsOf('moduleParameters');

type Parameters = readonly ExtensionParameter[];
type ParameterValue = string | number | boolean | null;

/** What a module lets a person tune, as fields of a form; the server lists it, and what it calls by unknown names too. */
export function parameterFields(
  parameters: Parameters,
  more: Pick<FormField, 'group' | 'when'> = {},
): readonly FormField[] {
  return parameters.map(({ name, type, values, description }) => ({
    ...more,
    name,
    label: parameterLabel(name),
    type: fieldType(name, type),
    ...helpOf(name, description),
    ...(type === 'enum'
      ? { choices: (values ?? []).map((value) => ({ value, label: showHidden(value) })) }
      : {}),
  }));
}

function fieldType(name: string, type: string): FormField['type'] {
  if (type === 'boolean') return 'checkbox';
  if (type === 'enum') return 'select';
  if (type === 'integer') return 'number';
  return name === 'password' ? 'password' : 'text';
}

/** What the fields begin with: the server's own values. */
export function parameterInitial(parameters: Parameters): FormValues {
  return Object.fromEntries(
    parameters.map(({ name, type, value }) => [
      name,
      type === 'boolean' ? value === true : String(value ?? ''),
    ]),
  );
}

/** Only what a person changed is sent: the rest is the server's, and not every server knows every name. */
function changedParameters(
  parameters: Parameters,
  values: FormValues,
): Readonly<Record<string, ParameterValue>> {
  const before = parameterInitial(parameters);
  const changed = parameters.filter(({ name }) => name in values && values[name] !== before[name]);
  return Object.fromEntries(changed.map((parameter) => [parameter.name, sentValue(parameter, values)]));
}

function sentValue({ name, type }: ExtensionParameter, values: FormValues): ParameterValue {
  if (type === 'boolean') return flagOf(values, name);
  if (type === 'integer') return numberOrNull(values, name);
  return name === 'password' ? String(values[name] ?? '') : textOf(values, name);
}

/** As a part of a body: nothing is there when nothing was changed. */
export function extensionsOf(module: Parameters, common: Parameters, values: FormValues) {
  const ofModule = changedParameters(module, values);
  const ofAll = changedParameters(common, values);
  return {
    ...(Object.keys(ofModule).length === 0 ? {} : { module_extensions: { parameters: ofModule } }),
    ...(Object.keys(ofAll).length === 0 ? {} : { common_modules_extensions: { parameters: ofAll } }),
  };
}

/** The answer about parameters; null from a server that has none to such a question. What keeps a server from answering is thrown. */
export async function askExtension<A>(ask: () => Promise<A>): Promise<A | null> {
  try {
    return await ask();
  } catch (error) {
    if (isWithoutAnswer(problemOf(error))) return null;
    throw error;
  }
}

/** In the language of the window where the name is known, else in words made of it: `dump_format`, “Dump format”. */
export function parameterLabel(name: string): string {
  const labels: Readonly<Record<string, string>> = words.labels;
  if (Object.hasOwn(labels, name)) return labels[name] ?? name;
  const text = name.replaceAll('_', ' ');
  return nameInText(text.charAt(0).toUpperCase() + text.slice(1));
}

function helpOf(name: string, description: string): Pick<FormField, 'help'> {
  const known: Readonly<Record<string, string>> = words.help;
  if (Object.hasOwn(known, name)) return { help: known[name] ?? '' };
  if (Object.hasOwn(words.labels, name) || description === '') return {};
  return { help: cutMiddle(showHidden(description), 500) };
}
