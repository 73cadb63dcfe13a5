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
  /**
   * Merges; the whole must stay under the cap. Done when it is on the disk. What only says where a person is (the shown
   * section, tables, sizes) is written together with whatever follows within a second.
   */
  readonly set: (patch: SettingsPatch) => Promise<Settings>;
  /** Before the process goes: from now on each change is written at once. Done when all of them are on the disk. */
  readonly finish: () => Promise<void>;
}

/** Going to a section tells it now and how its table was left a little later: one write of the file for both. */
const gatherMs = 1_000;
const ofPlace: ReadonlySet<string> = new Set<keyof Settings>([
  'tables',
  'panels',
  'lastConnection',
  'lastSection',
  'lastObject',
]);

const mostChars = 1024 * 1024;
/** The tables that were touched longest ago are forgotten beyond this. */
const mostTables = 200;
const mostPanels = 200;

export function createSettingsStore(options: {
  readonly path: string;
  readonly onTrouble: (message: string) => void;
  readonly files?: FileCalls;
  readonly gatherMs?: number;
}): SettingsStore {
  const gatherWithinMs = options.gatherMs ?? gatherMs;
  const file = createJsonFile<Settings>({ ...options, fallback: defaultSettings, read: readSettings });
  let settings = defaultSettings;
  let gathered: { readonly written: Promise<void>; readonly writeNow: () => void } | null = null;
  let saving: Promise<void> = Promise.resolve();
  let isFinishing = false;

  /** All that has changed up to now, gathered changes too. */
  const write = (): Promise<void> => {
    const waiting = gathered;
    gathered = null;
    saving = file.save(settings);
    waiting?.writeNow();
    return saving;
  };
  const gather = (): Promise<void> => {
    if (gathered) return gathered.written;
    let writeNow = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      const timer = setTimeout(write, gatherWithinMs);
      writeNow = () => {
        clearTimeout(timer);
        // It becomes the write's own promise, so that a failure reaches everybody whose change was gathered.
        resolve(saving);
      };
    });
    gathered = { written, writeNow };
    return written;
  };

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
      const isOfPlace = Object.keys(patch).every((name) => ofPlace.has(name));
      await (isOfPlace && !isFinishing ? gather() : write());
      return settings;
    },
    finish: () => {
      isFinishing = true;
      return gathered ? write() : saving;
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
