import type { ByteString } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import { DeviceError } from '../device-error.ts';
import { shownPath } from '../manifest/display.ts';
import type { Complain } from './target-metadata.ts';

export interface RestoreProblem {
  /** Display form, absolute, as it was in the resource. */
  readonly path: string;
  readonly code: string;
  /** What could not be brought back, and why; a sentence without its full stop. */
  readonly reason: string;
}

export const MOST_PROBLEMS = 1000;

/** What could not be brought back: all are counted, the first thousand are told one by one. */
export class Problems {
  readonly kept: RestoreProblem[] = [];
  total = 0;

  add(path: string, code: string, reason: string): void {
    this.total += 1;
    if (this.kept.length < MOST_PROBLEMS) this.kept.push({ path, code, reason });
  }
}

/** What goes wrong with single items, by their path in the copy. */
export class PathProblems {
  readonly #problems: Problems;
  readonly #source: string;

  /** `source`: where the resource was, in display form. */
  constructor(problems: Problems, source: string) {
    this.#problems = problems;
    this.#source = source;
  }

  add(path: ByteString, code: string, reason: string): void {
    this.#problems.add(this.shown(path), code, reason);
  }

  /** What the system or the copy says about one item is told; stop, a full disk and bugs end the run. */
  async guard<T>(path: ByteString, act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      this.note(path, error);
      return null;
    }
  }

  note(path: ByteString, error: unknown): void {
    this.throwIfEnd(error);
    if (error instanceof DeviceError) {
      this.add(path, error.kind, error.message);
      return;
    }
    const code = errorCode(error);
    this.add(path, code, `it could not be restored (${code})`);
  }

  /** Stop, a full disk and bugs end the run. */
  throwIfEnd(error: unknown): void {
    if (error instanceof DeviceError) {
      if (error.kind === 'cancelled') throw error;
      return;
    }
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new DeviceError('noSpace', 'The destination is full. Free space and start the restore again.', {
        cause: error,
      });
    }
    if (!isSystemCode(code)) throw error;
  }

  complain(path: ByteString): Complain {
    return (code, reason) => this.add(path, code, reason);
  }

  shown(path: ByteString): string {
    return shownPath(this.#source, path);
  }
}
