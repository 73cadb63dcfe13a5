import { first } from './0001-first.ts';
import { strategies } from './0002-strategies.ts';
import { clientBandwidth } from './0003-client-bandwidth.ts';
import { dynamicPoolGroups } from './0004-dynamic-pool-groups.ts';
import { devices } from './0005-devices.ts';
import { directory } from './0006-directory.ts';
import { listIndexes } from './0007-list-indexes.ts';
import { journals } from './0008-journals.ts';
import { auditors } from './0009-auditors.ts';
import { strategyRuns } from './0012-strategy-runs.ts';
import { overdueRules } from './0014-overdue-rules.ts';
import { queueOrder } from './0015-queue-order.ts';
import { scsiPortals } from './0017-scsi-portals.ts';
import { bases } from './0019-bases.ts';
import { restoreProofs } from './0020-restore-proofs.ts';
import { metadataMoves } from './0021-metadata-moves.ts';
import { tapes } from './0022-tapes.ts';
import { searchMerges } from './0023-search-merges.ts';
import { tapeAlerts } from './0024-tape-alerts.ts';
import { searchReach } from './0025-search-reach.ts';
import { tapeCare } from './0027-tape-care.ts';
import { groupMembers } from './0028-group-members.ts';
import { lateListIndexes } from './0029-late-list-indexes.ts';
import { tasksOnPools } from './0030-tasks-on-pools.ts';
import { notificationGroups } from './0031-notification-groups.ts';
import { rulesOfResource } from './0032-rules-of-resource.ts';
import { scheduleChanges } from './0033-schedule-changes.ts';
import { cartridgeTroubles } from './0034-cartridge-troubles.ts';
import { unloadingRobots } from './0036-unloading-robots.ts';
import { mediaSets } from './0038-media-sets.ts';
import { taskIndexesByNeed } from './0039-task-indexes-by-need.ts';
import type { Migration } from './migration.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [
  first,
  strategies,
  clientBandwidth,
  dynamicPoolGroups,
  devices,
  directory,
  listIndexes,
  journals,
  auditors,
  strategyRuns,
  overdueRules,
  queueOrder,
  scsiPortals,
  bases,
  restoreProofs,
  metadataMoves,
  tapes,
  searchMerges,
  tapeAlerts,
  searchReach,
  tapeCare,
  groupMembers,
  lateListIndexes,
  tasksOnPools,
  notificationGroups,
  rulesOfResource,
  scheduleChanges,
  cartridgeTroubles,
  unloadingRobots,
  mediaSets,
  taskIndexesByNeed,
];
