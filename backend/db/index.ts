export { type DatabasePlace, type Db, type OpenDatabase, openDatabase, type Tx } from './database.ts';
export { type Dialect, foldCase } from './dialects.ts';
export { escapeLike, type ListColumn, type ListColumns, listPage, type Page } from './list-query.ts';
export { listRecords } from './list-records.ts';
export { everything, type ListRequest, pageOf } from './list-request.ts';
export { DatabaseUnusable } from './migrate.ts';
export { schemaSnapshot } from './schema-snapshot.ts';
export type * from './tables.ts';
export type { Database, Flag } from './tables.ts';
