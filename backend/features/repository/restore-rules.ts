import { posix, win32 } from 'node:path';
import type { FieldErrors } from '../../../contract/problem.ts';
import { fromDisplay } from '../../platform/byte-path.ts';

export interface RestoreTarget {
  readonly id: number;
  readonly hwid: string;
  readonly osType: string;
  readonly modules: readonly string[];
  readonly groupId: number;
  readonly isGroupShared: boolean;
  /** The host that the backend itself runs on. */
  readonly isLocal: boolean;
}

export interface RestoreSource {
  readonly resourceType: string;
  readonly resource: string;
  readonly clientHwid: string;
  /** Null when the client is deleted. */
  readonly clientGroupId: number | null;
  readonly crypto: string;
  readonly isFileListAvailable: boolean;
}

export interface RestoreWish {
  readonly target: RestoreTarget;
  readonly source: RestoreSource;
  readonly destination: string;
  readonly selection: readonly string[];
  /** Null: the resource keeps its name. */
  readonly newName: string | null;
  readonly deployInto: boolean;
  /** Folders of this host that nothing may be restored into: data of the server, storages. */
  readonly forbidden: readonly string[];
}

/** Why a restore cannot be asked for, by field; empty when it can. */
export function restoreRefusals(wish: RestoreWish): FieldErrors {
  const reasons = {
    target_client: targetReason(wish),
    destination_path: destinationReason(wish),
    granular_restore_files: selectionReason(wish),
    new_name: newNameReason(wish),
  };
  return Object.fromEntries(Object.entries(reasons).filter(([, reason]) => reason !== null)) as FieldErrors;
}

function targetReason({ target, source }: RestoreWish): string | null {
  if (!target.modules.includes(source.resourceType)) {
    return `has no module for \`${source.resourceType}\`; choose a client that has it`;
  }
  if (target.hwid === source.clientHwid) return null;
  if (source.crypto !== 'nocrypt')
    return 'must be the client of the copy: the key of an encrypted copy lives there';
  if (target.groupId !== source.clientGroupId || !target.isGroupShared) {
    return 'must be the client of the copy, or one in the same shared client group';
  }
  return null;
}

function destinationReason({ target, destination, forbidden }: RestoreWish): string | null {
  const path = target.osType === 'windows' ? win32 : posix;
  if (!path.isAbsolute(destination))
    return `must be an absolute path on the client, like ${examplePath(target)}`;
  const normal = path.normalize(destination);
  if (target.osType !== 'windows' && /^\/+$/.test(normal)) {
    return 'must be a folder below the root; choose one, the contents can be moved afterwards';
  }
  if (!target.isLocal) return null;
  const whole = withSlash(normal);
  const taken = forbidden.find((folder) => whole.startsWith(withSlash(posix.normalize(folder))));
  return taken === undefined
    ? null
    : `lies inside ${taken}, where this server keeps its own data; choose another folder`;
}

function examplePath(target: RestoreTarget): string {
  return target.osType === 'windows' ? '`C:\\Restored`' : '`/srv/restored`';
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

/** What is put straight into its destination has the name of that; a single file of a copy may still be named. */
function newNameReason({ source, newName, deployInto }: RestoreWish): string | null {
  if (newName === null || !deployInto) return null;
  if (source.resourceType === 'Block device') {
    return 'is only for an image that becomes a file; leave it out, or set `data_deployment` to false';
  }
  if (source.resourceType === 'PostgreSQL universal') {
    return 'is only for a data directory of its own below the destination; leave it out, or set `data_deployment` to false';
  }
  return null;
}

function selectionReason({ source, selection }: RestoreWish): string | null {
  if (selection.length === 0) return null;
  if (source.resourceType !== 'File system') return 'is only for copies of type `File system`; leave it out';
  if (!source.isFileListAvailable) return 'needs a copy that was made with a file list; leave it out';
  const resource = withSlash(fromDisplay(source.resource));
  for (const path of selection) {
    if (path.includes('\0')) return 'must not contain NUL characters';
    if (path.split('/').includes('..')) return `must not contain \`..\`: ${path}`;
    if (path.startsWith('/') && !withSlash(fromDisplay(path)).startsWith(resource)) {
      return `must lie inside ${source.resource}: ${path}`;
    }
  }
  return null;
}
