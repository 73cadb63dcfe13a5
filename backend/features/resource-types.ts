import { readPostgresAddress } from './postgres-address.ts';
import { findPostgresProgram } from './postgres-programs.ts';

/** The kinds of resources that this backend can back up. */
export const workingResourceTypes: readonly string[] = [
  'File system',
  'Block device',
  'PostgreSQL universal',
];

/** Those of them that the host of this backend can back up, by what is installed on it. */
export async function localModules(): Promise<readonly string[]> {
  const hasPostgres = (await findPostgresProgram('pg_basebackup')) !== null;
  return workingResourceTypes.filter((type) => {
    if (type === 'Block device') return process.platform === 'linux';
    return type === 'PostgreSQL universal' ? hasPostgres : true;
  });
}

/** Why the text cannot name a resource of the type, or null. Types without a module here take any path. */
export function resourceRefusal(resourceType: string, resource: string): string | null {
  if (resourceType !== 'PostgreSQL universal') {
    return /^postgres(ql)?:/.test(resource) ? 'must be an absolute path, like `/srv/data`' : null;
  }
  const look = readPostgresAddress(resource);
  return look.kind === 'good' ? null : look.reason;
}
