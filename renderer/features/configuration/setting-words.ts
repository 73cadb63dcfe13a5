import { configurationEffects } from '../../../contract/configuration/configuration-effects.ts';
import {
  type ConfigurationField,
  type ConfigurationName,
  configurationFields,
} from '../../../contract/configuration/configuration-fields.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';
import { settingGroups } from './setting-groups.ts';

const words = textsOf('configuration');

export function fieldOf(name: ConfigurationName): ConfigurationField {
  return configurationFields[name];
}

/** What the contract says of it, in the language of the window. */
export function meaningOf(name: ConfigurationName): string {
  return wordFor(words.meanings, name);
}

/** What it governs on the bundled server, or that it governs nothing there; null for other servers, which may differ. */
export function effectOf(name: ConfigurationName, isBundledServer: boolean): string | null {
  if (!isBundledServer) return null;
  const what = wordFor(words.effects, name);
  return t(configurationEffects[name].acts ? 'configuration.actsOn' : 'configuration.keptFor', { what });
}

export function valueShown(value: unknown, name: ConfigurationName): string {
  const field = fieldOf(name);
  if (value === null && field.type === 'path') {
    return t('configuration.defaultFolder', { folder: field.place });
  }
  if (value === null || value === undefined || value === '') return '–';
  if (field.type === 'integer') {
    const { unit } = field;
    return isUnit(unit) && typeof value === 'number'
      ? t(`configuration.counts.${unit}`, { count: value })
      : t('configuration.valueInUnit', { value: String(value), unit });
  }
  // Its values are words of the contract, not a path or a text of the server.
  const isOfWords = field.type === 'choice' || field.type === 'boolean';
  return showHidden(isOfWords ? wordFor(words.values, String(value)) : String(value));
}

/** Null: the server sets it by itself. */
export function defaultShown(name: ConfigurationName): string | null {
  const field = fieldOf(name);
  if (field.type === 'readOnlyText' || field.type === 'readOnlyTime') return null;
  return valueShown(field.default, name);
}

export interface ShownGroup {
  readonly title: string;
  readonly names: readonly ConfigurationName[];
}

/** The settings whose name, meaning, effect or group has the text; groups without any are left out. */
export function groupsWith(text: string, isBundledServer: boolean): readonly ShownGroup[] {
  const wanted = text.trim().toLowerCase();
  return Object.entries(settingGroups)
    .map(([group, names]: readonly [string, readonly ConfigurationName[]]) => {
      const title = wordFor(words.groups, group);
      const has = (name: ConfigurationName) =>
        [title, name, meaningOf(name), effectOf(name, isBundledServer) ?? '']
          .join('\n')
          .toLowerCase()
          .includes(wanted);
      return { title, names: names.filter(has) };
    })
    .filter(({ names }) => names.length > 0);
}

function isUnit(unit: string): unit is keyof typeof words.units {
  return Object.hasOwn(words.units, unit);
}
