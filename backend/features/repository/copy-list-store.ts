import { type RawBuilder, sql } from 'kysely';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  type Tx,
} from '../../db/index.ts';
import { isBeingDeleted, isListed } from '../listed-copies-store.ts';
import { clientsIn, type Groups } from '../own-clients-store.ts';
import { type StoredCopy, visibleCopies } from './copy-query-store.ts';

const ofPool = { key: 'copies.pool_id', from: sql`pools`, id: 'pools.id' };
const ofMediaServer = {
  ...ofPool,
  from: sql`pools join media_servers on media_servers.id = pools.media_server_id`,
};
const ofStorage = { key: 'copies.storage_id', from: sql`storages`, id: 'storages.id' };
const text = (column: string) => ({ column, kind: 'text', search: true }) as const;
const integer = (column: string) => ({ column, kind: 'integer' }) as const;

const columns: ListColumns = {
  id: integer('copies.id'),
  reference_id: integer('copies.reference_id'),
  chain_id: integer('copies.chain_id'),
  copy_of: integer('copies.copy_of'),
  resource_type: text('copies.resource_type'),
  resource: text('copies.resource'),
  client: text('copies.client_text'),
  client_hwid: text('copies.client_hwid'),
  client_id: integer('copies.client_id'),
  backup_type: text('copies.backup_type'),
  status: text('copies.status'),
  crypto: text('copies.crypto'),
  signed: { column: 'copies.signed', kind: 'boolean' },
  pool: { ...text('pools.name'), of: ofPool },
  pool_type: { ...text('pools.pool_type'), of: ofPool },
  media_server: { ...text('media_servers.name'), of: ofMediaServer },
  storage: { ...text('storages.path'), of: ofStorage },
  path: { column: sql`storages.path || '/' || copies.uuid`, of: ofStorage, kind: 'text', equals: inFolder },
  size: integer('copies.size'),
  real_size: integer('copies.real_size'),
  created: { column: 'copies.created_ms', kind: 'time' },
  store_until: { column: 'copies.store_until_ms', kind: 'time' },
  archiving: { column: 'copies.archiving', kind: 'boolean' },
  rule_id: integer('copies.rule_id'),
  strategy_rule_id: integer('copies.strategy_rule_id'),
  task_id: integer('copies.task_id'),
  file_list_available: { column: 'copies.file_list_available', kind: 'boolean' },
  description: text('copies.description'),
  skipped_items: integer('copies.skipped_items'),
  files_count: integer('copies.files_count'),
  damage: { column: 'copies.damage', kind: 'text' },
  proven: { column: 'copies.proven_ms', kind: 'time' },
  proven_files: integer('copies.proven_files'),
  proven_bytes: integer('copies.proven_bytes'),
  proof_failure: { column: 'copies.proof_failure', kind: 'text' },
};

/** As the migration that made the index of them joins their texts. */
const searchedColumns = [
  'copies.resource_type',
  'copies.resource',
  'copies.client_text',
  'copies.client_hwid',
  'copies.backup_type',
  'copies.status',
  'copies.crypto',
  'copies.description',
  'copies.uuid',
];

/** The copy in a folder: a storage and a name, which have an index each, as the two together have not. */
function inFolder(path: string): RawBuilder<boolean> {
  const cut = path.lastIndexOf('/');
  if (cut === -1) return sql<boolean>`1 = 0`;
  return sql<boolean>`(copies.uuid = ${path.slice(cut + 1)}
    and copies.storage_id in (select storages.id from storages where storages.path = ${path.slice(0, cut)}))`;
}

/** A search like `disk1/3fa8`: the end of a storage's path and the beginning of a copy's name. */
function aroundTheName(wanted: string, dialect: Dialect): RawBuilder<boolean> | null {
  const cut = wanted.lastIndexOf('/');
  const name = wanted.slice(cut + 1).toLowerCase();
  if (cut === -1 || !/^[0-9a-f-]*$/.test(name)) return null;
  // No path holds two slashes in a row, so these mark its end.
  const ends = dialect.contains(sql`storages.path || '//'`, `${wanted.slice(0, cut)}//`);
  return sql<boolean>`(copies.storage_id in (select storages.id from storages where ${ends})
    and copies.uuid like ${`${name}%`})`;
}

/** One page of the copies that are there for the caller. */
export async function listCopies(
  db: Db | Tx,
  list: ListRequest,
  to: { readonly groups: Groups; readonly dialect: Dialect },
): Promise<Page<StoredCopy>> {
  const { groups, dialect } = to;
  const finding = db
    .selectFrom('copies')
    .where(isListed)
    .$if(groups !== null, (query) => query.where('copies.client_id', 'in', clientsIn(groups ?? [])));
  const options = {
    list,
    columns,
    dialect,
    tieBreaker: 'copies.id',
    selectsId: true,
    trigrams: { db, table: 'copies_search', columns: searchedColumns, isAll: false },
    alsoFound: (text: string) => aroundTheName(text, dialect),
    countAll: groups === null ? () => countListed(db) : undefined,
  };
  const page = await listPage(visibleCopies(db, groups), options, finding);
  return { rows: page.rows as readonly StoredCopy[], total: page.total };
}

/** Counting all rows reads no condition; the few that are being deleted have an index of their own. */
async function countListed(db: Db | Tx): Promise<number> {
  const { rows } = await sql<{ total: number }>`select (select count(*) from copies)
    - (select count(*) from copies where ${isBeingDeleted}) as total`.execute(db);
  return Number(rows[0]?.total ?? 0);
}
