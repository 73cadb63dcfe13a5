import { type Change, createAnnouncements } from '../../../backend/features/announce.ts';
import { createRepository } from '../../../backend/features/repository/create-repository.ts';
import type { CopyTask } from '../../../backend/features/repository/repository-service.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import {
  type HandClock,
  handClock,
  type Session,
  startTestApp,
  type TestApp,
} from '../../support/backend.ts';
import { rowsOf } from '../features/rows.ts';

type LogLine = readonly [level: string, message: string, facts: object];

export interface RepositoryLab {
  readonly app: TestApp;
  readonly superuser: Session;
  readonly rows: ReturnType<typeof rowsOf>;
  readonly clock: HandClock;
  readonly repository: ReturnType<typeof createRepository>;
  /** What was announced. */
  readonly changes: Change[];
  /** What its log was told: level, message, facts. */
  readonly lines: LogLine[];
  /** What was handed to the task queue. */
  readonly tasks: CopyTask[];
  configure(values: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** The repository's endpoints with a queue that only writes down what it is given. */
export async function startRepositoryLab(
  options: Pick<NonNullable<Parameters<typeof startTestApp>[0]>, 'place'> = {},
): Promise<RepositoryLab> {
  const clock = handClock();
  const changes: Change[] = [];
  const tasks: CopyTask[] = [];
  const lines: LogLine[] = [];
  const keep =
    (level: string) =>
    (message: string, facts: object = {}): void =>
      void lines.push([level, message, facts]);
  const log = { ...silentLog, warn: keep('warn'), error: keep('error'), info: keep('info') };
  const announcements = createAnnouncements();
  announcements.listen((change) => changes.push(change));
  const made: ReturnType<typeof createRepository>[] = [];
  const app = await startTestApp({
    ...options,
    started: true,
    clock,
    moreHandlers: (deps) => {
      const repository = createRepository({ ...deps, log, announce: announcements.announce });
      made.push(repository);
      return repository.handlers(async (task) => tasks.push(task));
    },
  });
  const [repository] = made;
  if (!repository) throw new Error('the repository was not made');
  const superuser = await app.loginAs('superuser');
  return {
    app,
    superuser,
    rows: rowsOf(app.database.db),
    clock,
    repository,
    changes,
    lines,
    tasks,
    configure: async (values) => {
      const answer = await superuser.send('PATCH', '/global_configuration', values);
      if (answer.status !== 200) throw new Error(answer.body.message);
    },
    close: async () => {
      await repository.stop();
      await app.close();
    },
  };
}
