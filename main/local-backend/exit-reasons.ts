import type { LocalBackendState } from '../../contract/desktop/local-backend.ts';
import { t } from '../texts/index.ts';

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
      reason: said ?? t('backend.badOptions'),
    };
  if (exitCode === 3)
    return {
      code: 'dataDirInUse',
      exitCode,
      mayPass: false,
      reason: said ?? t('backend.dataDirInUse'),
    };
  if (exitCode === 4)
    return {
      code: 'dataDirUnusable',
      exitCode,
      mayPass: false,
      reason: said ?? t('backend.dataDirUnusable'),
    };
  const how = exitCode === null ? t('backend.endedOutside') : t('backend.endedItself', { code: exitCode });
  return { code: 'exit', exitCode, mayPass: true, reason: said ?? how };
}

/** `detail`: what the system said when it was to be started. */
export function missingBackend(detail?: string): Failure {
  const reason = t('backend.missing');
  return {
    code: 'missing',
    exitCode: null,
    mayPass: false,
    reason: detail === undefined ? reason : t('backend.withDetail', { reason, detail }),
  };
}

export function silentBackend(): Failure {
  return { code: 'deadline', exitCode: null, mayPass: true, reason: t('backend.silent') };
}
