import { join } from 'node:path';
import type { z } from 'zod';
import type { CopyFile, RestoreExtension, RestoreRequest } from '../../../contract/repository/copy.ts';
import {
  completeParameters,
  describeParameters,
  restoreCommonParameters,
  restoreModuleParameters,
} from '../../../contract/tasks/module-parameters.ts';
import { type Db, type ListRequest, pageOf } from '../../db/index.ts';
import { isFolderThere } from '../../platform/disk-space.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { Groups } from '../own-clients-store.ts';
import { namedNotFound, unknownReference } from '../references.ts';
import { tapeListsFolder } from '../tape-lists.ts';
import { type Named, poolOfCopy, taskOnCopy } from '../task-on-copy.ts';
import { workingCrypto } from '../working-crypto.ts';
import { isOnTape, type StoredCopy } from './copy-query-store.ts';
import { createCopyStore } from './copy-store.ts';
import type { ListedFile, OpenCopies } from './open-copies.ts';
import type { RestoreInput } from './restore-input.ts';
import { restoreRefusals } from './restore-rules.ts';
import { createRestoreStore } from './restore-store.ts';
import { whyTransferIsRefused } from './transfer-rules.ts';

/** A task on a copy, as the task queue takes it. */
export interface CopyTask {
  readonly taskType: 'restore' | 'verify' | 'copy' | 'move';
  readonly resourceType: string;
  readonly resource: string;
  readonly client: { readonly id: number | null; readonly text: string };
  readonly backupType: string;
  readonly pool: Named | null;
  readonly sourcePool: Named | null;
  readonly mediaServer: Named | null;
  readonly copyId: number;
  readonly crypto: string;
  readonly createdBy: string;
  readonly input: RestoreInput | null;
  readonly moduleExtensions: object | null;
  readonly commonModulesExtensions: object | null;
}

export interface RepositoryServiceDeps {
  readonly db: Db;
  readonly dataDir: string;
  /** Hands a task to the queue; answers its id. */
  readonly createTask: (task: CopyTask) => Promise<number>;
  readonly openCopies: OpenCopies;
}

export interface Caller {
  readonly userName: string;
  /** The client groups that the caller is limited to; null = all. */
  readonly clientGroupIds: Groups;
}

export interface FilesQuery {
  readonly folder?: string | undefined;
  readonly search?: string | undefined;
}

/** The most rows of a file list that are answered to a caller who asks for no page. */
const mostRowsAtOnce = 10_000;

export type RepositoryService = ReturnType<typeof createRepositoryService>;

/** What is done with copies: restore, verify, look into. */
export function createRepositoryService(deps: RepositoryServiceDeps) {
  const store = createCopyStore(deps.db);
  const restores = createRestoreStore(deps.db);
  /** A look at who uses a copy and the task that follows from it: not two of them at once. */
  const inTurn = createInTurn();

  const load = async (id: number, groups: Groups): Promise<StoredCopy> => {
    const copy = await store.get(id, groups);
    if (copy === null) throw notFound('Copy', id);
    return copy;
  };

  /** What a move takes away at its end cannot be read meanwhile. */
  const requireInPlace = async (id: number): Promise<void> => {
    const move = (await store.tasksOn(id)).find((task) => task.task_type === 'move');
    if (move === undefined) return;
    throw new Refusal('state.notAllowed', {
      message: `Copy ${id} is being moved by task ${move.id}; wait for its end.`,
      errors: { id: `is being moved by task ${move.id}; wait for its end` },
    });
  };

  return {
    restore: (id: number, body: RestoreRequest, caller: Caller): Promise<{ task_id: number }> =>
      inTurn(String(id), async () => {
        const copy = await load(id, caller.clientGroupIds);
        await requireInPlace(id);
        const wish = body.restore_task;
        const target = await restores.target(wish.target_client, caller.clientGroupIds);
        if (target === null) {
          throw unknownReference('target_client', `authorized client \`${wish.target_client}\``);
        }
        const selection = wish.granular_restore_files ?? [];
        const module = completeParameters(restoreModuleParameters, body.module_extensions?.parameters);
        const newName = module.new_name === '' ? null : module.new_name;
        const deployInto = wish.data_deployment ?? false;
        const errors = restoreRefusals({
          target,
          source: {
            resourceType: copy.resource_type,
            resource: copy.resource,
            clientHwid: copy.client_hwid,
            clientGroupId: copy.client_group_id,
            crypto: copy.crypto,
            isFileListAvailable: copy.file_list_available === 1,
          },
          destination: wish.destination_path,
          selection,
          newName,
          deployInto,
          forbidden: [deps.dataDir, ...(await restores.storagePaths())],
        });
        const [first] = Object.entries(errors);
        if (first) throw new Refusal('request.invalid', { message: `${first[0]} ${first[1]}.`, errors });
        const common = completeParameters(
          restoreCommonParameters,
          body.common_modules_extensions?.parameters,
        );
        const task_id = await deps.createTask({
          ...taskOnCopy(copy, caller.userName),
          taskType: 'restore',
          client: { id: target.id, text: wish.target_client },
          pool: null,
          sourcePool: poolOfCopy(copy),
          input: {
            destination: wish.destination_path,
            newName,
            deployInto,
            selection,
          },
          moduleExtensions: { parameters: module },
          commonModulesExtensions: { parameters: common },
        });
        return { task_id };
      }),

    /** A second copy in another pool, or the same one moved there. Full copies only. */
    transfer: (
      kind: 'copy' | 'move',
      id: number,
      poolName: string,
      caller: Caller,
    ): Promise<{ task_id: number }> =>
      inTurn(String(id), async () => {
        const copy = await load(id, caller.clientGroupIds);
        const pool = await store.poolByName(poolName);
        if (pool === null) {
          throw namedNotFound('pool_name', `pool named ${poolName}`);
        }
        const refusal = whyTransferIsRefused(kind, {
          backupType: copy.backup_type,
          sourcePoolId: copy.pool_id,
          crypto: copy.crypto,
          pool: { id: pool.id, type: pool.pool_type },
          isThere: copy.storage_path !== null || isOnTape(copy),
          dependants: ((await store.dependants([id])).get(id) ?? []).length,
          activeTasks: await store.tasksOn(id),
        });
        if (refusal !== null) throw invalidField(refusal.field, refusal.reason);
        return {
          task_id: await deps.createTask({
            ...taskOnCopy(copy, caller.userName),
            taskType: kind,
            pool: { id: pool.id, name: pool.name },
            sourcePool: poolOfCopy(copy),
            mediaServer: { id: pool.media_server_id, name: pool.media_server_name },
          }),
        };
      }),

    verify: (id: number, caller: Caller): Promise<{ task_id: number }> =>
      inTurn(String(id), async () => {
        const copy = await load(id, caller.clientGroupIds);
        await requireInPlace(id);
        return {
          task_id: await deps.createTask({ ...taskOnCopy(copy, caller.userName), taskType: 'verify' }),
        };
      }),

    /** `id`: a copy, whose kind decides; without one the common set. */
    extension: async (id: number | undefined, groups: Groups): Promise<RestoreExtension> => {
      if (id !== undefined) await load(id, groups);
      return {
        module_extensions: [...describeParameters(restoreModuleParameters)],
        common_modules_extensions: [...describeParameters(restoreCommonParameters)],
        crypto: { values: [...workingCrypto] },
      };
    },

    files: async (
      id: number,
      asked: { readonly query: FilesQuery; readonly list: ListRequest },
      groups: Groups,
    ): Promise<{ readonly rows: z.output<typeof CopyFile>[]; readonly total: number }> => {
      const copy = await load(id, groups);
      const place = await filesPlace(copy, deps.dataDir);
      const lock = { crypto: copy.crypto, clientHwid: copy.client_hwid };
      const folder = asked.query.folder ?? '';
      const { offset, limit } = pageOf(asked.list) ?? { offset: 0, limit: mostRowsAtOnce };
      const wish = { folder, search: asked.query.search ?? '', offset, limit };
      const page = await deps.openCopies.use({ id, path: place, lock }, (opened) => opened.page(wish));
      if (page === null) {
        throw new Refusal('object.notFound', {
          message: `There is no folder ${folder} in copy ${id}.`,
          errors: { folder: 'not found in this copy' },
        });
      }
      return { rows: page.rows.map(toFile), total: page.total };
    },
  };
}

async function filesPlace(copy: StoredCopy, dataDir: string): Promise<string> {
  if (copy.file_list_available !== 1) {
    throw new Refusal('state.notAllowed', {
      message: `Copy ${copy.id} was made without a file list; it can be restored as a whole.`,
      errors: { id: 'has no file list' },
    });
  }
  if (isOnTape(copy)) {
    const kept = join(tapeListsFolder(dataDir), copy.uuid);
    if (await isFolderThere(kept)) return kept;
    throw new Refusal('state.notAllowed', {
      message: `The file list of copy ${copy.id} is on its tape only; verify the copy, which brings it here, or restore it.`,
      errors: { id: 'has its file list on tape only; verify the copy, which brings it here' },
    });
  }
  if (copy.storage_path === null) {
    throw new Refusal('state.notAllowed', {
      message: `Copy ${copy.id} lies on no storage of this server.`,
      errors: { id: 'lies on no storage of this server' },
    });
  }
  return `${copy.storage_path}/${copy.uuid}`;
}

function toFile(file: ListedFile): z.output<typeof CopyFile> {
  return {
    name: file.name,
    path: file.path,
    type: file.type,
    size: file.sizeBytes,
    mode: file.mode,
    uid: file.uid,
    gid: file.gid,
    mtime: toWireTime(file.mtimeMs),
    link_target: file.linkTarget,
    flags: [...file.flags],
    skipped: file.skipped,
  };
}
