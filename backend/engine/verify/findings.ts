import { FRAME_MISSING } from '../archive/stream.ts';
import type { Finding, VerifyResult } from './verify.ts';
import { MOST_FINDINGS } from './verify-result.ts';

const NEXT_STEP = 'Restore it from another copy if you need it, and make a new backup.';

/** Gathers what is wrong; the verdict follows from the worst of it. */
export class Findings {
  readonly #kept: Finding[] = [];
  #total = 0;
  #errors = 0;
  #isBroken = false;

  /** A file, or a part of the copy, whose frame has this status. */
  item(item: string, frameStatus: number): void {
    const isMissing = frameStatus === FRAME_MISSING;
    const message = isMissing ? 'its data are missing from the copy.' : 'its data are not what was written.';
    this.add({ severity: 'error', item, message, nextStep: NEXT_STEP }, isMissing);
  }

  add(finding: Finding, isMissing: boolean): void {
    this.#total += 1;
    if (finding.severity === 'error') this.#errors += 1;
    if (isMissing) this.#isBroken = true;
    if (this.#kept.length < MOST_FINDINGS) this.#kept.push(finding);
  }

  get total(): number {
    return this.#total;
  }

  result(): Omit<VerifyResult, 'bytesRead'> {
    return { status: this.#verdict(), findings: this.#kept, findingsTotal: this.#total };
  }

  #verdict(): VerifyResult['status'] {
    if (this.#isBroken) return 'broken';
    return this.#errors > 0 ? 'suspicious' : 'trusted';
  }
}
