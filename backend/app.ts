import { join } from 'node:path';
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { Db, Dialect, OpenDatabase } from './db/index.ts';
import { createLibraryDrivers, type LibraryDriver, startTapeThread, tapeCopiesHere } from './engine/index.ts';
import { createAdministration } from './features/administration.ts';
import { createAnnouncements } from './features/announce.ts';
import { createAuditHandlers } from './features/audit/audit-handlers.ts';
import { createAuditStore } from './features/audit/audit-store.ts';
import { createAttemptsStore } from './features/auth/attempts-store.ts';
import { createAuthHandlers } from './features/auth/auth-handlers.ts';
import { type AuthService, createAuthService } from './features/auth/auth-service.ts';
import { readAuthSettings } from './features/auth/auth-settings.ts';
import { createAuthStore } from './features/auth/auth-store.ts';
import { createDomainAccountStore } from './features/auth/domain-account-store.ts';
import { createPasswordHasher, type PasswordHasher } from './features/auth/passwords.ts';
import { createTokens } from './features/auth/tokens.ts';
import { createBlockPoolService } from './features/block-pools/block-pool-service.ts';
import { createMetadataMoves } from './features/block-pools/metadata-moves-service.ts';
import { createCatalogueCopyHandlers } from './features/catalogue-copy/catalogue-copy-handlers.ts';
import { createCatalogueCopyService } from './features/catalogue-copy/catalogue-copy-service.ts';
import type { ConfigurationService } from './features/configuration/configuration-service.ts';
import { createDirectoryHandlers } from './features/directory/directory-handlers.ts';
import { createDirectoryGate, createDirectoryLogin } from './features/directory/directory-login.ts';
import { createDirectoryService } from './features/directory/directory-service.ts';
import { createEvents } from './features/events/create-events.ts';
import { readRecord } from './features/events/read-record.ts';
import { createExtensionsHandlers } from './features/extensions/extensions-handlers.ts';
import { seed } from './features/first-start.ts';
import { createPoolWatch } from './features/pools/pool-watch.ts';
import { createRepository } from './features/repository/create-repository.ts';
import { createSchedulerService } from './features/scheduler/scheduler-service.ts';
import { createScsiPortalHandlers } from './features/scsi-portals/scsi-portal-handlers.ts';
import { createScsiPortalService, initiatorName } from './features/scsi-portals/scsi-portal-service.ts';
import { createStatisticsHandlers } from './features/statistics/statistics-handlers.ts';
import { createStatisticsService } from './features/statistics/statistics-service.ts';
import { createCartridgeTaskHandlers } from './features/tape-libraries/cartridge-task-handlers.ts';
import { createTasks } from './features/tasks/create-tasks.ts';
import { createVirtualLibraryHandlers } from './features/virtual-libraries/virtual-library-handlers.ts';
import { createVirtualLibraryService } from './features/virtual-libraries/virtual-library-service.ts';
import { guardAgainstOtherSites } from './http/guards.ts';
import type { Handlers } from './http/handler.ts';
import { serveInteractivePage } from './http/interactive-page.ts';
import { acceptJsonBodies } from './http/json-body.ts';
import { apiPrefix, mountApi } from './http/mount.ts';
import { answerProblems } from './http/unknown-paths.ts';
import type { Clock } from './platform/clock.ts';
import type { ReadHostCounters } from './platform/host-load.ts';
import type { Log } from './platform/log.ts';
import { openSecretBox, type SecretBox } from './platform/secret-box.ts';

/** What the features are made with. */
export interface FeatureDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of the data directory. */
  readonly dataDir: string;
  readonly version: string;
  readonly passwords: PasswordHasher;
  readonly secrets: SecretBox;
}

export interface AppDeps {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly version: string;
  /** The connection is TLS: cookies are marked `Secure`. */
  readonly secure: boolean;
  /** The server can be reached from this host only. */
  readonly loopbackOnly: boolean;
  readonly launchSecret: string | null;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** What looks for tape libraries: those of this product unless told. */
  readonly libraryDrivers?: readonly LibraryDriver[];
  /** Where the load of this host is read: the counters of the system unless told. */
  readonly readHostCounters?: ReadHostCounters;
  /** How long the script of a rule may run, in milliseconds: ten minutes unless told. */
  readonly scriptTimeoutMs?: number;
  /** Where samples of copies are restored to be compared: `scratch` in the data directory unless told. */
  readonly scratchDir?: string;
  /** How many tasks run at the same time: two unless told. */
  readonly tasksAtOnce?: number;
  /** Handlers beside the built-in ones (tests of a single feature). */
  readonly moreHandlers?: (deps: FeatureDeps & Pick<BuiltApp, 'configuration'>) => Partial<Handlers>;
}

export interface BuiltApp {
  readonly auth: AuthService;
  readonly features: FeatureDeps;
  readonly configuration: ConfigurationService;
  firstSuperuserName(): Promise<string | null>;
  /** First-start objects, repairs and the task queue; before anything listens. */
  start(): Promise<void>;
  /** Plans what is due now, beside the looks that the scheduler takes by itself. */
  lookAtCalendar(): Promise<void>;
  /** No new work starts, running work comes to a safe point. */
  prepareStop(): Promise<void>;
  stop(): Promise<void>;
}

/** Puts all rooms together on `app`. Nothing listens and nothing runs yet. */
export async function build(app: FastifyInstance, deps: AppDeps): Promise<BuiltApp> {
  const { clock, log, database } = deps;
  const { db, dialect } = database;
  const passwords = createPasswordHasher();
  const secrets = await openSecretBox(deps.dataDir);
  const features: FeatureDeps = {
    db,
    dialect,
    clock,
    log,
    dataDir: deps.dataDir,
    version: deps.version,
    passwords,
    secrets,
  };
  const store = createAuthStore(db);
  const directory = createDirectoryService(features);
  const audit = createAuditStore(database, clock.now);
  const auth = createAuthService({
    store,
    accessVersion: database.accessVersion,
    attempts: createAttemptsStore(db),
    passwords,
    tokens: createTokens(clock),
    clock,
    version: deps.version,
    settings: () => readAuthSettings(db),
    launchSecret: deps.launchSecret,
    gate: createDirectoryGate(createDirectoryLogin({ ...features, directory })),
    accounts: createDomainAccountStore(db),
    log,
  });
  const announcements = createAnnouncements();
  const { announce } = announcements;
  const blockPools = createBlockPoolService({ ...features, announce });
  const portals = createScsiPortalService(features);
  const tapes = startTapeThread({
    virtualFolder: join(deps.dataDir, 'virtual-libraries'),
    initiatorName: initiatorName(),
    portals: portals.toLogInTo,
    onLeftOut: (where, error) => log.warn('a portal, target or tape library is left out', { where, error }),
  });
  const virtualLibraries = createVirtualLibraryService({ ...features, libraries: tapes.virtual });
  const administration = createAdministration({
    ...features,
    blockPools,
    announce,
    drivers: createLibraryDrivers(deps.libraryDrivers ?? tapes.drivers),
    tapeCopies: deps.libraryDrivers === undefined ? tapes.copies : tapeCopiesHere,
    stopping: deps.stopping,
  });
  const { bandwidth, configuration } = administration;
  const { events, handlers: eventHandlers } = createEvents({
    ...features,
    announcements,
    recordOf: (kind, id, user) => readRecord(handlers, kind, { id, user }),
  });
  const repository = createRepository({ ...features, configuration, announce });
  const metadataMoves = createMetadataMoves({
    ...features,
    configuration,
    withoutCleaning: blockPools.withoutCleaning,
    relocated: repository.copies.announceRelocated,
  });
  const watchPools = createPoolWatch({ pools: administration.pools, configuration, announce, log });
  const statistics = createStatisticsService({
    ...features,
    configuration,
    overdue: administration.rules.overdue,
    failedProofs: repository.proofs.failedProofs,
  });
  const tasks = createTasks({
    ...features,
    configuration,
    bandwidth,
    announce,
    copies: repository.copies,
    proofs: repository.proofs,
    scratchDir: deps.scratchDir ?? join(deps.dataDir, 'scratch'),
    blockPools,
    tapes: administration.tapeCopies,
    cartridges: administration.cartridges,
    ruleParameters: administration.rules.parametersOf,
    readHostCounters: deps.readHostCounters,
    scriptTimeoutMs: deps.scriptTimeoutMs,
    tasksAtOnce: deps.tasksAtOnce,
    regularWork: [
      { name: 'look at the pools', run: statistics.sample, knowsWhenDue: true },
      { name: 'watch the room of the pools', run: watchPools },
      { name: 'watch the ends and capacities of strategies', run: administration.watchStrategies },
      { name: 'watch for overdue rules', run: administration.watchRules },
      { name: 'move metadata to their new pool', run: metadataMoves.run, usesStorages: true },
      { name: 'clean tape drives', run: administration.cleanTapeDrives },
    ],
  });
  const scheduler = createSchedulerService({ ...features, configuration, tasks });
  await store.endAllSessions();

  acceptJsonBodies(app);
  answerProblems(app, { log, auth, secure: deps.secure, apiPrefix });
  guardAgainstOtherSites(app, { loopbackOnly: deps.loopbackOnly, secure: deps.secure });
  await app.register(cookie, {
    parseOptions: { path: '/', httpOnly: true, sameSite: 'lax', secure: deps.secure },
  });
  const handlers: Handlers = {
    ...createAuthHandlers({ auth, recordAudit: audit.record }),
    ...createDirectoryHandlers(directory),
    ...createExtensionsHandlers(),
    ...createAuditHandlers(audit),
    ...createStatisticsHandlers(statistics),
    ...createCatalogueCopyHandlers(createCatalogueCopyService(features)),
    ...administration.handlers,
    ...createScsiPortalHandlers(portals),
    ...createVirtualLibraryHandlers(virtualLibraries),
    ...tasks.handlers,
    ...createCartridgeTaskHandlers(administration.cartridges, tasks.createTask),
    ...repository.handlers(tasks.createTask),
    ...eventHandlers,
    ...deps.moreHandlers?.({ ...features, configuration }),
  };
  serveInteractivePage(app, deps.version);
  mountApi(app, handlers, {
    auth,
    log,
    clock,
    secure: deps.secure,
    stopping: deps.stopping,
    recordAudit: audit.record,
  });
  return {
    auth,
    features,
    configuration,
    firstSuperuserName: store.firstSuperuserName,
    start: async () => {
      await seed(features);
      await events.start();
      await administration.startTapeLibraries();
      await tasks.start();
      await scheduler.start();
    },
    lookAtCalendar: scheduler.look,
    prepareStop: async () => {
      await scheduler.stop();
      await Promise.all([tasks.stop(), metadataMoves.stop()]);
    },
    stop: async () => {
      await repository.stop();
      await blockPools.close();
      await tapes.close();
      await events.stop();
    },
  };
}
