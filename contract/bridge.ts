import { z } from 'zod';
import type { Api, ApiName } from './api.ts';
import {
  Connection,
  ConnectionDraft,
  ConnectionId,
  ConnectionPatch,
  ConnectionState,
  Fingerprint,
  ProbeResult,
  SignIn,
  TlsFiles,
} from './desktop/connection.ts';
import { ServerHealth } from './desktop/fleet.ts';
import { LocalBackendLine, LocalBackendState } from './desktop/local-backend.ts';
import { NewsItem, NewsPlace } from './desktop/news.ts';
import { Settings, SettingsPatch } from './desktop/settings.ts';
import {
  ExportConnections,
  Exported,
  ImportConnections,
  Imported,
  ImportPreview,
  ReadImport,
} from './desktop/transfer.ts';
import type { Endpoint, InputOf, ResultOf } from './endpoint.ts';
import { eventKinds, ServerEvent } from './events/events.ts';
import type { Outcome } from './problem.ts';

/**
 * What the window and the main process say to each other: commands (window asks, main answers with an `Outcome`) and
 * events (main tells). API endpoints need no entry here: `api.call` carries them and accepts only names of `api`.
 */
export interface Command {
  readonly input: z.ZodType;
  readonly result: z.ZodType;
  /** The most that the input may weigh; `defaultInputBytes` unless told. */
  readonly maxInputBytes?: number;
}

export const defaultInputBytes = 2 * 1024 * 1024;

function command<const C extends Command>(declaration: C): C {
  return declaration;
}

const Nothing = z.undefined().or(z.null());
const Done = z.null();
const OneConnection = z.strictObject({ connectionId: ConnectionId });
/** Chosen by the window, unique in its life; `api.cancel` names it. */
export const CallId = z.string().min(1).max(64);
const PathText = z.string().max(4096);

/** Notices that main makes. `id` is stable for a standing one: the same id again replaces it. */
export const Notice = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  message: z.string(),
  connectionId: ConnectionId.nullable(),
  /** What the button of the notice does, if it has one. */
  action: z.enum(['retryKeychain', 'openLogs', 'signIn', 'openUpdate', 'none']),
});
export type Notice = z.infer<typeof Notice>;

export const keychainStates = ['unknown', 'ok', 'absent', 'locked', 'hung'] as const;

export const AppInfo = z.object({
  version: z.string(),
  platform: z.string(),
  electron: z.string(),
  chrome: z.string(),
  node: z.string(),
  /** STRONGROOM_HOME. */
  home: z.string(),
  keychain: z.enum(keychainStates),
  /** True when the effective theme is dark. */
  dark: z.boolean(),
  tray: z.boolean(),
});
export type AppInfo = z.infer<typeof AppInfo>;

export const ProbeInput = z.strictObject({
  address: z.string().trim().min(1, 'must not be empty').max(2048),
});

export const commands = {
  /** Result: for `list` endpoints `{ items, total }`, otherwise the record (`data`), null for 204. */
  'api.call': command({
    input: z.strictObject({
      connectionId: ConnectionId,
      name: z.string().max(100),
      input: z.unknown(),
      callId: CallId,
    }),
    result: z.unknown(),
  }),
  'api.cancel': command({ input: z.strictObject({ callId: CallId }), result: Done }),

  'connections.list': command({ input: Nothing, result: z.array(Connection) }),
  /** Signs in first; on a problem nothing is kept. Certificate problems carry the facts of the dialog. */
  'connections.add': command({ input: ConnectionDraft, result: Connection }),
  'connections.update': command({
    input: z.strictObject({ connectionId: ConnectionId, patch: ConnectionPatch }),
    result: Connection,
  }),
  /** Signs out (best effort), forgets the session and the profile. */
  'connections.remove': command({ input: OneConnection, result: Done }),
  'connections.signIn': command({ input: SignIn, result: Connection }),
  'connections.signOut': command({ input: OneConnection, result: Done }),
  /** `callId` makes it cancellable by `api.cancel`. */
  'connections.probe': command({
    input: ProbeInput.extend({ callId: CallId.optional() }),
    result: ProbeResult,
  }),
  /** Looks at chosen PEM files; what cannot be used is refused by the name of its field. */
  'connections.checkTls': command({
    input: z.strictObject({ tls: TlsFiles, keyPassphrase: z.string().max(1024) }),
    result: z.null(),
  }),
  /** After a changed certificate: trust exactly this one. It is looked at again; another one is not trusted. */
  'connections.trustCertificate': command({
    input: z.strictObject({ connectionId: ConnectionId, fingerprint: Fingerprint }),
    result: Connection,
  }),
  'connections.retry': command({ input: OneConnection, result: Done }),

  /** Asks for a name and writes what the saved connections are; never a session or a password. */
  'connections.export': command({ input: ExportConnections, result: Exported }),
  /** What is in such a file; changes nothing. */
  'connections.readImport': command({ input: ReadImport, result: ImportPreview }),
  'connections.import': command({ input: ImportConnections, result: Imported }),

  /** Asks for a name and writes what was exchanged with the server lately: no passwords, tokens or cookies. */
  'support.save': command({
    input: OneConnection,
    result: z.object({ path: PathText.nullable(), exchanges: z.number() }),
  }),
  /** Opens such a file as a server that can be looked at; `connections.remove` closes it. */
  'support.open': command({
    input: z.strictObject({ path: PathText.trim().min(1, 'must not be empty') }),
    result: Connection,
  }),

  /** What is known of all servers, for a window that was loaded. */
  'fleet.list': command({ input: Nothing, result: z.array(ServerHealth) }),
  /** Looks at all connected servers now, and tries those that are away. */
  'fleet.lookNow': command({ input: Nothing, result: Done }),

  'localBackend.state': command({ input: Nothing, result: LocalBackendState }),
  /** Makes the local backend if there is none, starts it and signs in: the connection, ready for calls. */
  'localBackend.use': command({ input: Nothing, result: Connection }),
  'localBackend.stop': command({ input: Nothing, result: Done }),
  'localBackend.restart': command({ input: Nothing, result: Done }),
  /** The last 100 lines of its output at most, oldest first. Not escaped: show them as text. */
  'localBackend.logTail': command({ input: Nothing, result: z.array(z.string()).max(100) }),
  /** Its output after the line `after` (0: all that is kept, 2,000 lines at most), oldest first. */
  'localBackend.log': command({
    input: z.strictObject({ after: z.int().min(0) }),
    result: z.array(LocalBackendLine),
  }),
  'localBackend.openLogs': command({ input: Nothing, result: Done }),
  'localBackend.openData': command({ input: Nothing, result: Done }),
  /** Opens its interactive page in the system's browser. */
  'localBackend.openApiPage': command({ input: Nothing, result: Done }),
  /** Makes a new identity (key, session, certificate pins) of the local backend; data and connections stay. */
  'localBackend.resetIdentity': command({ input: Nothing, result: Done }),

  'keychain.retry': command({ input: Nothing, result: z.enum(keychainStates) }),

  'dialog.pickFolder': command({
    input: z.strictObject({ title: z.string().max(200), defaultPath: PathText.optional() }),
    result: PathText.nullable(),
  }),
  'dialog.pickFile': command({
    input: z.strictObject({ title: z.string().max(200) }),
    result: PathText.nullable(),
  }),
  /** Asks for a name and writes the text there: the path, or null when the person cancelled. */
  'dialog.saveFile': command({
    input: z.strictObject({
      title: z.string().max(200),
      defaultName: z.string().max(255),
      text: z.string(),
    }),
    result: PathText.nullable(),
    maxInputBytes: 32 * 1024 * 1024,
  }),

  'settings.get': command({ input: Nothing, result: Settings }),
  'settings.set': command({ input: SettingsPatch, result: Settings, maxInputBytes: 256 * 1024 }),

  'app.info': command({ input: Nothing, result: AppInfo }),
  /** Hands the new version that was found to the system's browser. */
  'updates.open': command({ input: Nothing, result: Done }),
  /** Notices that are still standing, for a window that was reloaded. */
  'notices.list': command({ input: Nothing, result: z.array(Notice) }),
  'notices.dismiss': command({ input: z.strictObject({ id: z.string().max(200) }), result: Done }),
  /** What was new on the servers since the app was started, oldest first; 200 at most. */
  'news.list': command({ input: Nothing, result: z.array(NewsItem) }),
  'clipboard.write': command({ input: z.strictObject({ text: z.string().max(1_048_576) }), result: Done }),
  /** Only https to addresses of the allow-list; anything else is refused. */
  'external.open': command({ input: z.strictObject({ url: z.string().max(2048) }), result: Done }),
  /** Asks (naming running tasks) and quits; true when the app is about to quit. */
  'quit.confirm': command({ input: Nothing, result: z.boolean() }),
  /** The answer to `leaving`: all that waited to be told was told before. */
  'window.left': command({ input: Nothing, result: Done }),
} as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = z.input<Commands[N]['input']>;
/** What a handler receives: parsed, defaults filled in. */
export type CommandCall<N extends CommandName> = z.output<Commands[N]['input']>;
export type CommandResult<N extends CommandName> = z.output<Commands[N]['result']>;

/** Acts that the menu or a second start asks of the window. */
export const menuActions = [
  'palette',
  'addConnection',
  'importConnections',
  'exportConnections',
  'openBundle',
  'newBackup',
  'preferences',
  'keyboardSheet',
  'search',
  'back',
  'forward',
  'reload',
  'about',
] as const;

export const events = {
  /** The list as a whole: one was added, removed or renamed. */
  'connections.changed': z.object({ connections: z.array(Connection) }),
  'connection.state': z.object({ connectionId: ConnectionId, state: ConnectionState }),
  /** `reset`: events may have been missed (also after each reconnection without resume): load again. */
  'server.event': z.object({
    connectionId: ConnectionId,
    kind: z.enum([...eventKinds, 'reset', 'other']),
    event: ServerEvent.nullable(),
  }),
  'fleet.server': ServerHealth,
  'localBackend.state': LocalBackendState,
  notice: Notice,
  'notice.gone': z.object({ id: z.string() }),
  action: z.object({ action: z.enum(menuActions) }),
  /** A person clicked a notice of the desktop or a server in the tray: show this, and select `id` there. */
  goTo: NewsPlace,
  /** Whether the desktop tells of it or not. */
  news: NewsItem,
  theme: z.object({ dark: z.boolean() }),
  /** The app is about to quit: what waits to be kept is told now, then `window.left`. */
  leaving: z.object({}),
} as const;

export type Events = typeof events;
export type EventName = keyof Events;
export type EventPayload<N extends EventName> = z.output<Events[N]>;

/** Page of a list endpoint, as `api.call` answers it. `total` counts all matching rows. */
export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

type RowOf<E extends Endpoint> = ResultOf<E> extends readonly (infer Row)[] ? Row : never;

/**
 * Value of an API call. Servers in the field leave fields out or null them: main fills what is missing in records with
 * null where the record does not tell otherwise, so treat every field as possibly null at run time.
 */
export type ApiValue<N extends ApiName> = Api[N] extends { readonly list: true }
  ? ListPage<RowOf<Api[N]>>
  : ResultOf<Api[N]>;
export type ApiInput<N extends ApiName> = InputOf<Api[N]>;

export type ApiCall = { readonly [N in ApiName]: { readonly name: N; readonly input: ApiInput<N> } }[ApiName];

/** What the preload puts on `window.bridge`. It never throws but for a lost main process. */
export interface Bridge {
  readonly invoke: <N extends CommandName>(
    name: N,
    input?: CommandInput<N>,
  ) => Promise<Outcome<CommandResult<N>>>;
  /** Returns the function that ends it. */
  readonly on: <N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void) => () => void;
}

/** The two channels of the preload; no other one exists. */
export const invokeChannel = 'bridge:invoke';
export const eventChannel = 'bridge:event';
