export { copyDatabaseFile, databaseFile } from './catalogue-copy.ts';
export { type Conflict, conflictOf } from './conflicts.ts';
export {
  type DatabasePlace,
  type Db,
  isSqlite,
  type OpenDatabase,
  openDatabase,
  type Tx,
} from './database.ts';
export { type Dialect, foldCase } from './dialects.ts';
export { diskFull, isDiskFull } from './disk-full.ts';
export { idList } from './id-list.ts';
export type { ListColumn, ListColumns } from './list-columns.ts';
export { listPage, type Page } from './list-query.ts';
export { listRecords } from './list-records.ts';
export { everything, type ListRequest, pageOf } from './list-request.ts';
export { DatabaseUnusable } from './migrate.ts';
export { preparedQuery } from './prepared.ts';
export { schemaSnapshot } from './schema-snapshot.ts';
export { foundIds, idOfTakenName, removeRows } from './table-rows.ts';
export type * from './tables.ts';
export type { Database, Flag } from './tables.ts';
export { keepSearched, lateTaskIndexes, taskTrigrams } from './task-search.ts';
