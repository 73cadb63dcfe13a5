import type { Db, Dialect } from '../db/index.ts';
import type { LibraryDrivers, TapeCopies } from '../engine/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Announce } from './announce.ts';
import { createAuditorHandlers } from './auditors/auditor-handlers.ts';
import { createAuditorService } from './auditors/auditor-service.ts';
import { createBlockDeviceHandlers } from './block-devices/block-device-handlers.ts';
import { createBlockDeviceService } from './block-devices/block-device-service.ts';
import type { BlockPoolService } from './block-pools/block-pool-service.ts';
import { createBandwidthHandlers } from './client-bandwidth/bandwidth-handlers.ts';
import { createBandwidthService } from './client-bandwidth/bandwidth-service.ts';
import { createClientGroupHandlers } from './client-groups/client-group-handlers.ts';
import { createClientGroupService } from './client-groups/client-group-service.ts';
import { createClientHandlers } from './clients/client-handlers.ts';
import { createClientService } from './clients/client-service.ts';
import { createJoinTokens } from './clients/join-tokens.ts';
import { createConfigurationHandlers } from './configuration/configuration-handlers.ts';
import {
  type ConfigurationService,
  createConfigurationService,
} from './configuration/configuration-service.ts';
import { createDynamicPoolGroupHandlers } from './dynamic-pool-groups/dynamic-pool-group-handlers.ts';
import { createDynamicPoolGroupService } from './dynamic-pool-groups/dynamic-pool-group-service.ts';
import { createDynamicPoolMemberService } from './dynamic-pool-groups/dynamic-pool-member-service.ts';
import { createMediaServerHandlers } from './media-servers/media-server-handlers.ts';
import { createMediaServerService } from './media-servers/media-server-service.ts';
import { createPoolHandlers } from './pools/pool-handlers.ts';
import { createPoolService } from './pools/pool-service.ts';
import { createStorageHandlers } from './storages/storage-handlers.ts';
import { createStorageService } from './storages/storage-service.ts';
import { createStrategyHandlers } from './strategies/strategy-handlers.ts';
import { createStrategyService } from './strategies/strategy-service.ts';
import { createStrategyWatch } from './strategies/strategy-watch.ts';
import { createOverdueWatch } from './strategy-rules/overdue-watch.ts';
import { createStrategyRuleHandlers } from './strategy-rules/strategy-rule-handlers.ts';
import { createStrategyRuleService } from './strategy-rules/strategy-rule-service.ts';
import { createCartridgeHandlers } from './tape-libraries/cartridge-handlers.ts';
import { createTapeLibraryHandlers } from './tape-libraries/tape-library-handlers.ts';
import { createTapeLibraryService } from './tape-libraries/tape-library-service.ts';
import { createUserHandlers } from './users/user-handlers.ts';
import { createUserService } from './users/user-service.ts';

export interface AdministrationDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly version: string;
  readonly drivers: LibraryDrivers;
  readonly tapeCopies: TapeCopies;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly passwords: { hash(password: string): Promise<string> };
  readonly secrets: SecretBox;
  readonly blockPools: BlockPoolService;
  /** Told of every change after it is committed. */
  readonly announce: Announce;
}

/** The features that keep what a server consists of, put together; none of them runs anything by itself. */
export function createAdministration(deps: AdministrationDeps) {
  const configuration: ConfigurationService = createConfigurationService(deps);
  const users = createUserService(deps);
  const pools = createPoolService(deps);
  const bandwidth = createBandwidthService(deps);
  const rules = createStrategyRuleService(deps);
  const tapeLibraries = createTapeLibraryService({ ...deps, configuration });
  const handlers = {
    ...createStrategyHandlers(createStrategyService({ ...deps, configuration })),
    ...createStrategyRuleHandlers(rules),
    ...createAuditorHandlers(createAuditorService({ ...deps, users })),
    ...createClientHandlers(createClientService(deps), createJoinTokens(deps)),
    ...createBandwidthHandlers(bandwidth),
    ...createClientGroupHandlers(createClientGroupService(deps)),
    ...createMediaServerHandlers(createMediaServerService(deps)),
    ...createPoolHandlers(pools),
    ...createDynamicPoolGroupHandlers(
      createDynamicPoolGroupService(deps),
      createDynamicPoolMemberService(deps),
    ),
    ...createStorageHandlers(createStorageService(deps)),
    ...createTapeLibraryHandlers(tapeLibraries),
    ...createCartridgeHandlers(tapeLibraries.cartridges),
    ...createBlockDeviceHandlers(createBlockDeviceService(deps)),
    ...createUserHandlers(users),
    ...createConfigurationHandlers(configuration),
  };
  /** Looks whether rules have become overdue or are well again. */
  const watchRules = createOverdueWatch({ ...deps, overdue: () => rules.overdue(null) });
  /** Tells of strategies that end soon or whose capacity is reached. */
  const watchStrategies = createStrategyWatch({ ...deps, configuration });
  return {
    handlers,
    configuration,
    pools,
    bandwidth,
    rules,
    watchRules,
    watchStrategies,
    tapeCopies: tapeLibraries.copies,
    cartridges: tapeLibraries.cartridges,
    startTapeLibraries: tapeLibraries.start,
    cleanTapeDrives: tapeLibraries.cleanDrives,
  };
}
