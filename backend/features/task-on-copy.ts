/** What the task of a copy says of it; the columns of its row, with the names of what it refers to. */
export interface CopyOfTask {
  readonly id: number;
  readonly resource_type: string;
  readonly resource: string;
  readonly client_id: number | null;
  readonly client_text: string;
  readonly backup_type: string;
  readonly crypto: string;
  readonly pool_id: number | null;
  readonly pool_name: string | null;
  readonly media_server_id: number | null;
  readonly media_server_name: string | null;
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

/** A task that works on a copy, but for its type. */
export function taskOnCopy<By extends string | null>(copy: CopyOfTask, createdBy: By) {
  return {
    resourceType: copy.resource_type,
    resource: copy.resource,
    client: { id: copy.client_id, text: copy.client_text },
    backupType: copy.backup_type,
    pool: poolOfCopy(copy),
    sourcePool: null,
    mediaServer: named(copy.media_server_id, copy.media_server_name),
    copyId: copy.id,
    crypto: copy.crypto,
    createdBy,
    input: null,
    moduleExtensions: null,
    commonModulesExtensions: null,
  };
}

export function poolOfCopy(copy: CopyOfTask): Named | null {
  return named(copy.pool_id, copy.pool_name);
}

function named(id: number | null, name: string | null): Named | null {
  return id === null || name === null ? null : { id, name };
}
