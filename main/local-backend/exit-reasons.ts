import type { LocalBackendState } from '../../contract/desktop/local-backend.ts';

export interface Failure {
  readonly code: NonNullable<LocalBackendState['code']>;
  readonly reason: string;
  readonly exitCode: number | null;
  /** Starting again can help. */
  readonly mayPass: boolean;
}

/** What the end of the backend means. Its exit codes are its contract: 2 bad options, 3 folder in use, 4 unusable. */
export function failureOfExit(exitCode: number | null, said: string | null): Failure {
  if (exitCode === 2)
    return {
      code: 'badOptions',
      exitCode,
      mayPass: false,
      reason: said ?? 'It was started with options that it does not know.',
    };
  if (exitCode === 3)
    return {
      code: 'dataDirInUse',
      exitCode,
      mayPass: false,
      reason: said ?? 'Another process uses its data folder.',
    };
  if (exitCode === 4)
    return {
      code: 'dataDirUnusable',
      exitCode,
      mayPass: false,
      reason: said ?? 'Its data folder or database cannot be used.',
    };
  const how = exitCode === null ? 'was ended from outside' : `ended by itself (exit code ${exitCode})`;
  return { code: 'exit', exitCode, mayPass: true, reason: said ?? `The local backend ${how}.` };
}

export const missingBackend: Failure = {
  code: 'missing',
  exitCode: null,
  mayPass: false,
  reason: 'The program of the local backend is missing or cannot be run. Install Strongroom again.',
};

export const silentBackend: Failure = {
  code: 'deadline',
  exitCode: null,
  mayPass: true,
  reason: 'The local backend did not say that it is ready in time.',
};
