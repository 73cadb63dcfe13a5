import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './db/index.ts';
import { foldCase } from './db/index.ts';
import type { PasswordHasher } from './features/auth/passwords.ts';
import type { Clock } from './platform/clock.ts';
import { writeWhole } from './platform/data-dir.ts';
import { newSecret } from './platform/ids.ts';
import type { Log } from './platform/log.ts';

export interface FirstSuperuserDeps {
  readonly db: Db;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A new installation gets one superuser. Its password comes from the environment; without one it is made up and
 * stands, once, in `initial-password` in the data directory, readable for the owner only. It is never logged.
 */
export async function ensureFirstSuperuser(deps: FirstSuperuserDeps): Promise<void> {
  const { db } = deps;
  const anybody = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (anybody) return;
  const userName = (deps.environment.STRONGROOM_ADMIN_USER || 'admin').normalize('NFC');
  const given = deps.environment.STRONGROOM_ADMIN_PASSWORD;
  const password = given || newSecret(18);
  const passwordHash = await deps.passwords.hash(password);
  if (!given) replaceInitialPassword(join(deps.dataDir, 'initial-password'), password);
  await db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('users')
      .values({
        user_name: userName,
        user_name_key: foldCase(userName),
        password_hash: passwordHash,
        enabled: 1,
        last_success_login_ms: null,
        last_fail_login_ms: null,
        created_ms: deps.clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.insertInto('user_roles').values({ user_id: id, role: 'superuser' }).execute();
  });
  deps.log.info('the first superuser was made', {
    user: userName,
    from: given ? 'environment' : 'file initial-password',
  });
}

/** A file that an interrupted first start has left belongs to no account: it is made anew. */
function replaceInitialPassword(path: string, password: string): void {
  rmSync(path, { force: true });
  writeWhole(path, `${password}\n`);
}
