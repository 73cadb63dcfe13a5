import { auditLog } from './audit-log.ts';
import { bandwidth } from './bandwidth.ts';
import { charts } from './charts.ts';
import { clients } from './clients.ts';
import { common } from './common.ts';
import { configuration } from './configuration.ts';
import { connections } from './connections.ts';
import { copies } from './copies.ts';
import { directory } from './directory.ts';
import { dynamicGroups } from './dynamic-groups.ts';
import { firstRun } from './first-run.ts';
import { fleet } from './fleet.ts';
import { keys } from './keys.ts';
import { localBackend } from './local-backend.ts';
import { mediaServers } from './media-servers.ts';
import { moduleParameters } from './module-parameters.ts';
import { notices } from './notices.ts';
import { overview } from './overview.ts';
import { palette } from './palette.ts';
import { permissions } from './permissions.ts';
import { pools } from './pools.ts';
import { preferences } from './preferences.ts';
import { restore } from './restore.ts';
import { retention } from './retention.ts';
import { shell } from './shell.ts';
import { status } from './status.ts';
import { storages } from './storages.ts';
import { strategies } from './strategies.ts';
import { strategyRules } from './strategy-rules.ts';
import { tapeBoard } from './tape-board.ts';
import { tapeLibraries } from './tape-libraries.ts';
import { tasks } from './tasks.ts';
import { transfer } from './transfer.ts';
import { ui } from './ui.ts';
import { users } from './users.ts';

export const ru = {
  common,
  ui,
  shell,
  palette,
  preferences,
  keys,
  status,
  firstRun,
  connections,
  fleet,
  overview,
  charts,
  clients,
  tasks,
  copies,
  retention,
  restore,
  transfer,
  strategies,
  strategyRules,
  pools,
  storages,
  tapeLibraries,
  tapeBoard,
  mediaServers,
  bandwidth,
  dynamicGroups,
  users,
  configuration,
  directory,
  auditLog,
  localBackend,
  moduleParameters,
  notices,
  permissions,
};
