import { auditEndpoints } from './audit/audit-log.ts';
import { auditorEndpoints } from './auditors/auditor-endpoints.ts';
import { authEndpoints } from './auth/auth-endpoints.ts';
import { blockDeviceEndpoints } from './block-devices/block-device-endpoints.ts';
import { cartridgeEndpoints } from './cartridges/cartridge-endpoints.ts';
import { catalogueCopyEndpoints } from './catalogue-copy/catalogue-copy.ts';
import { clientBandwidthEndpoints } from './client-bandwidth/client-bandwidth-endpoints.ts';
import { clientGroupEndpoints } from './client-groups/client-group-endpoints.ts';
import { clientEndpoints } from './clients/client-endpoints.ts';
import { configurationEndpoints } from './configuration/configuration-endpoints.ts';
import { directoryCheckEndpoints } from './directory/directory-check.ts';
import { directoryEndpoints } from './directory/directory-endpoints.ts';
import {
  dynamicPoolGroupEndpoints,
  dynamicPoolMemberEndpoints,
} from './dynamic-pool-groups/dynamic-pool-group-endpoints.ts';
import { eventEndpoints } from './events/events.ts';
import { extensionsEndpoints } from './extensions/extensions-endpoints.ts';
import { mediaServerEndpoints } from './media-servers/media-server-endpoints.ts';
import { poolEndpoints } from './pools/pool-endpoints.ts';
import { repositoryEndpoints } from './repository/repository-endpoints.ts';
import { scsiPortalEndpoints } from './scsi-portals/scsi-portal-endpoints.ts';
import { statisticsEndpoints } from './statistics/statistics.ts';
import { storageEndpoints } from './storages/storage-endpoints.ts';
import { strategyEndpoints } from './strategies/strategy-endpoints.ts';
import { strategyRuleEndpoints } from './strategy-rules/strategy-rule-endpoints.ts';
import { tapeLibraryEndpoints } from './tape-libraries/tape-library-endpoints.ts';
import { taskEndpoints, taskQueueEndpoints } from './tasks/task-endpoints.ts';
import { userEndpoints } from './users/user-endpoints.ts';
import { virtualLibraryEndpoints } from './virtual-libraries/virtual-library-endpoints.ts';

/** The one list of all endpoints, in the order in which the interactive page shows them. */
export const api = {
  ...authEndpoints,
  ...directoryEndpoints,
  ...directoryCheckEndpoints,
  ...strategyRuleEndpoints,
  ...clientEndpoints,
  ...taskQueueEndpoints,
  ...taskEndpoints,
  ...poolEndpoints,
  ...repositoryEndpoints,
  ...clientBandwidthEndpoints,
  ...dynamicPoolGroupEndpoints,
  ...dynamicPoolMemberEndpoints,
  ...tapeLibraryEndpoints,
  ...storageEndpoints,
  ...blockDeviceEndpoints,
  ...mediaServerEndpoints,
  ...auditorEndpoints,
  ...configurationEndpoints,
  ...extensionsEndpoints,
  ...strategyEndpoints,
  ...clientGroupEndpoints,
  ...scsiPortalEndpoints,
  ...virtualLibraryEndpoints,
  ...cartridgeEndpoints,
  ...userEndpoints,
  ...auditEndpoints,
  ...statisticsEndpoints,
  ...catalogueCopyEndpoints,
  ...eventEndpoints,
} as const;

export type Api = typeof api;
export type ApiName = keyof Api;
