import {
  defaultSettings,
  Settings,
  type SettingsPatch,
  TableState,
  TableView,
} from '../../contract/desktop/settings.ts';
import type { FileCalls } from '../platform/atomic-file.ts';
import { createJsonFile } from '../platform/json-file.ts';
import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

export interface SettingsStore {
  readonly load: () => Promise<Settings>;
  readonly get: () => Settings;
  /** Merges; the whole must stay under the cap. */
  readonly set: (patch: SettingsPatch) => Promise<Settings>;
}

const mostChars = 1024 * 1024;
/** The tables that were touched longest ago are forgotten beyond this. */
const mostTables = 200;
const mostPanels = 200;

export function createSettingsStore(options: {
  readonly path: string;
  readonly onTrouble: (message: string) => void;
  readonly files?: FileCalls;
}): SettingsStore {
  const file = createJsonFile<Settings>({ ...options, fallback: defaultSettings, read: readSettings });
  let settings = defaultSettings;
  return {
    load: async () => {
      settings = await file.load();
      return settings;
    },
    get: () => settings,
    set: async (patch) => {
      const next = merge(settings, patch);
      if (JSON.stringify(next).length > mostChars)
        throw new ProblemError({
          kind: 'refused',
          code: 'tooLarge',
          message: t('files.settingsTooLarge'),
        });
      settings = next;
      await file.save(next);
      return settings;
    },
  };
}

function merge(settings: Settings, patch: SettingsPatch): Settings {
  const { tables = {}, views = {}, panels = {}, desktopNotices = {}, ...plain } = patch;
  // What was touched last stands last, so that the oldest ones are dropped first.
  const kept = Object.entries(settings.tables).filter(([name]) => !Object.hasOwn(tables, name));
  const touched = Object.entries(tables).filter((entry): entry is [string, TableState] => entry[1] !== null);
  const defined = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  return {
    ...settings,
    ...defined,
    tables: Object.fromEntries([...kept, ...touched].slice(-mostTables)),
    views: { ...settings.views, ...views },
    panels: Object.fromEntries(Object.entries({ ...settings.panels, ...panels }).slice(-mostPanels)),
    desktopNotices: { ...settings.desktopNotices, ...desktopNotices },
  };
}

/** Each part stands for itself: one that cannot be used becomes its default, the rest stays. */
function readSettings(json: unknown): { readonly value: Settings } {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error(t('files.noSettings'));
  const given = json as Readonly<Record<string, unknown>>;
  const parts = Object.entries(Settings.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(usable[name]?.(given[name]) ?? given[name]);
    return [name, parsed.success ? parsed.data : defaultSettings[name as keyof Settings]];
  });
  return { value: Settings.parse(Object.fromEntries(parts)) };
}

const usable: Readonly<Record<string, (value: unknown) => unknown>> = {
  tables: usableTables,
  views: usableViews,
};

function usableViews(views: unknown): unknown {
  if (typeof views !== 'object' || views === null) return {};
  return Object.fromEntries(
    Object.entries(views).map(([list, all]) => [
      list,
      Array.isArray(all) ? all.filter((view) => TableView.safeParse(view).success) : [],
    ]),
  );
}

function usableTables(tables: unknown): unknown {
  if (typeof tables !== 'object' || tables === null) return {};
  return Object.fromEntries(
    Object.entries(tables).filter(([, state]) => TableState.safeParse(state).success),
  );
}
