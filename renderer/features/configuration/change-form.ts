import type {
  ConfigurationField,
  ConfigurationName,
} from '../../../contract/configuration/configuration-fields.ts';
import { AbsolutePath, TimeOfDay } from '../../../contract/words.ts';
import { ProblemError } from '../../bridge.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { defaultShown, effectOf, fieldOf, meaningOf, valueShown } from './setting-words.ts';

const words = textsOf('configuration');

/** Asks for a new value of one setting. Nothing is sent: it joins the changes that are reviewed and saved together. */
export function openChange(
  name: ConfigurationName,
  given: { readonly now: unknown; readonly wanted: unknown; readonly isBundledServer: boolean },
  onTaken: (value: unknown) => void,
): void {
  const field = fieldOf(name);
  const range =
    field.type === 'integer' ? t('configuration.range', { min: field.min, max: field.max }) : null;
  const normally = t('configuration.defaultIs', { value: defaultShown(name) ?? '–' });
  const sentences = [meaningOf(name), effectOf(name, given.isBundledServer), normally];
  const help = sentences.filter((one) => one !== null).map((one) => `${one}.`);
  openDialog({
    kind: 'form',
    form: {
      title: t('configuration.changeOf', { name }),
      submitLabel: words.takeOver,
      summary: t('configuration.now', { value: valueShown(given.now, name) }),
      fields: [
        {
          name,
          label:
            field.type === 'integer'
              ? t('configuration.fieldInUnit', { name, unit: wordFor(words.units, field.unit) })
              : name,
          type: fieldType(field),
          help: [...help, ...(range === null ? [] : [range])].join(' '),
          ...(field.type === 'choice'
            ? { choices: field.values.map((one) => ({ value: one, label: wordFor(words.values, one) })) }
            : {}),
        },
      ],
      initial: { [name]: field.type === 'boolean' ? given.wanted === true : String(given.wanted ?? '') },
      submit: async (values) => {
        const typed = values[name] ?? '';
        const wrong = whyNot(field, typed);
        if (wrong !== null) {
          throw new ProblemError({ kind: 'refused', message: `${name} ${wrong}`, errors: { [name]: wrong } });
        }
        onTaken(field.type === 'integer' ? Number(typed) : typed);
      },
    },
  });
}

/** What a server would refuse of a typed value; null when nothing. */
export function whyNot(field: ConfigurationField, typed: string | boolean): string | null {
  if (field.type === 'integer') {
    const { min, max } = field;
    const text = String(typed).trim();
    const number = Number(text);
    const isFine = /^\d+$/.test(text) && number >= min && number <= max;
    return isFine
      ? null
      : t('configuration.wrongRange', { min, max, unit: wordFor(words.units, field.unit) });
  }
  if (field.type === 'timeOfDay') return TimeOfDay.safeParse(typed).success ? null : words.wrongTime;
  if (field.type === 'path') return AbsolutePath.safeParse(typed).success ? null : words.wrongPath;
  return null;
}

function fieldType(field: ConfigurationField): 'text' | 'number' | 'checkbox' | 'select' {
  if (field.type === 'integer') return 'number';
  if (field.type === 'boolean') return 'checkbox';
  return field.type === 'choice' ? 'select' : 'text';
}
