import { MANIFEST_NAME } from '../archive/manifest-format.ts';
import type { Finding, VerifyResult } from './verify.ts';

/** What one thread found. */
export interface PartResult extends Omit<VerifyResult, 'bytesRead'> {
  /** Of the archive or the blocks, and how many it has: of a copy in the order of arrival some are read more than once. */
  readonly archiveBytesRead: number;
  readonly archiveBytes: number;
  readonly otherBytesRead: number;
}

/** How many findings are told with their text. */
export const MOST_FINDINGS = 1000;

/** By what both are called in `verifierWorkers`. */
export const VERIFIER = 'verifier';
export const SECOND_VERIFIER = 'second verifier';

/** What the threads of `verifierWorkers` found together. */
export function verifyResult(results: ReadonlyMap<string, unknown>): VerifyResult {
  const parts = [VERIFIER, SECOND_VERIFIER].flatMap(
    (name) => (results.get(name) as PartResult | undefined) ?? [],
  );
  const [first, second] = parts;
  const again = second?.findings.filter((finding) => isToldBy(first, finding)) ?? [];
  const findings = parts.flatMap((part) => part.findings).filter((finding) => !again.includes(finding));
  const archiveBytesRead = sum(parts, (part) => part.archiveBytesRead);
  const archiveBytes = Math.max(...parts.map((part) => part.archiveBytes));
  return {
    status: worst(parts),
    bytesRead: sum(parts, (part) => part.otherBytesRead) + Math.min(archiveBytesRead, archiveBytes),
    findings: findings.slice(0, MOST_FINDINGS),
    findingsTotal: sum(parts, (part) => part.findingsTotal) - again.length,
  };
}

/** A damaged file list both of them meet. */
function isToldBy(part: PartResult | undefined, { item, message }: Finding): boolean {
  const isSame = (one: Finding) => one.item === item && one.message === message;
  return item === MANIFEST_NAME && (part?.findings.some(isSame) ?? false);
}

function worst(parts: readonly PartResult[]): VerifyResult['status'] {
  const order: readonly VerifyResult['status'][] = ['broken', 'suspicious', 'trusted'];
  return order.find((status) => parts.some((part) => part.status === status)) ?? 'trusted';
}

function sum(parts: readonly PartResult[], of: (part: PartResult) => number): number {
  return parts.reduce((total, part) => total + of(part), 0);
}
