import { z } from 'zod';
import { languageChoices } from './languages.ts';
import { UpdateFeed } from './updates.ts';

/** What the window remembers between starts. No secrets. Every part is optional in the file; unknown parts are dropped. */

export const themes = ['system', 'light', 'dark'] as const;
export const densities = ['compact', 'normal', 'comfortable'] as const;

const Key = z.string().min(1).max(100);
const Text = z.string().max(500);

export const TableState = z.object({
  columns: z
    .array(
      z.object({ id: Key, widthPx: z.number().min(1).max(5000).optional(), hidden: z.boolean().optional() }),
    )
    .max(64)
    .optional(),
  sort: z
    .object({ field: Key, order: z.enum(['asc', 'desc']) })
    .nullable()
    .optional(),
  filters: z.record(Key, Text).optional(),
  search: Text.optional(),
  /** Ids, never row numbers. */
  selection: z
    .array(z.union([z.number(), Text]))
    .max(1000)
    .optional(),
  scrollPx: z.number().min(0).optional(),
  /** Of a tree: what was opened or closed. */
  turned: z
    .array(z.union([z.number(), Text]))
    .max(1000)
    .optional(),
});
export type TableState = z.infer<typeof TableState>;

/** How a list is looked at, kept under a name: everything but what is selected and where it is scrolled to. */
export const TableView = TableState.pick({ columns: true, sort: true, filters: true, search: true })
  .required()
  .extend({ name: z.string().min(1).max(80) });
export type TableView = z.infer<typeof TableView>;

/** Views of one list at most. */
export const mostViews = 30;

/** What the desktop tells of while nobody looks at the window. */
export const desktopNoticeKinds = [
  'taskFailed',
  'runOverdue',
  'poolNearlyFull',
  'serverUnreachable',
] as const;
export type DesktopNoticeKind = (typeof desktopNoticeKinds)[number];

export const clocks = ['24', '12'] as const;
/** Where a time of a server is also shown on the clocks of this computer. */
export const localTimes = ['tooltip', 'beside'] as const;

/** An object whose details fill the place of its list. */
export const ShownObject = z.object({
  /** The name of the list. */
  list: Key,
  id: z.union([z.number(), Text]),
  /** The view of the section in which the list stands, where it has several. */
  view: Key.optional(),
});
export type ShownObject = z.infer<typeof ShownObject>;

export const Settings = z.object({
  theme: z.enum(themes),
  density: z.enum(densities),
  language: z.enum(languageChoices),
  clock: z.enum(clocks),
  localTimes: z.enum(localTimes),
  /** True once a choice was made on the first-run page. */
  firstRunDone: z.boolean(),
  /** By `<connection id>/<section>` or whatever the window names. */
  tables: z.record(z.string().max(200), TableState),
  /** By the name of the list, for all connections. */
  views: z.record(Key, z.array(TableView).max(mostViews)),
  /** Sizes of panels in pixels by name. */
  panels: z.record(Key, z.number().min(0).max(10_000)),
  lastConnection: Text.nullable(),
  lastSection: Text.nullable(),
  lastObject: ShownObject.nullable(),
  desktopNotices: z.record(z.enum(desktopNoticeKinds), z.boolean()),
  /** What closing the window means where no tray can hold the app: `ask` each time, `background` or `quit`. */
  closeWithoutTray: z.enum(['ask', 'background', 'quit']),
  /** Off unless a person wants it: while it is off nothing is asked over the network. */
  lookForUpdates: z.boolean(),
  updateFeed: UpdateFeed,
});
export type Settings = z.infer<typeof Settings>;

export const defaultSettings: Settings = {
  theme: 'system',
  density: 'normal',
  language: 'system',
  clock: '24',
  localTimes: 'tooltip',
  firstRunDone: false,
  tables: {},
  views: {},
  panels: {},
  lastConnection: null,
  lastSection: null,
  lastObject: null,
  desktopNotices: { taskFailed: true, runOverdue: true, poolNearlyFull: true, serverUnreachable: true },
  closeWithoutTray: 'ask',
  lookForUpdates: false,
  updateFeed: '',
};

/**
 * A change. Parts that are left out stay. `tables`, `views` and `panels` are merged by name (one table a call is enough,
 * with all views of a list); a table sent as null is forgotten.
 */
export const SettingsPatch = z.strictObject({
  ...Settings.omit({ tables: true }).partial().shape,
  tables: z.record(z.string().max(200), TableState.nullable()).optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;
