import fs from 'node:fs';
import type { Entry } from '../archive/entry.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from '../archive/stream.ts';
import type { ChainStreams, OpenLink } from '../chain/chain-streams.ts';
import type { ChainLink } from '../chain/links.ts';
import { DeviceError } from '../device-error.ts';
import type { Findings } from './findings.ts';

const NEXT_STEP = 'Put it back where it was, or make a new full copy. Verify the copies before this one.';

/**
 * What a copy takes from earlier ones: they must be there, with the frames that are referred to. Their bytes are read
 * when they are verified themselves, or here when that is asked for.
 */
export class HeldChecks {
  readonly #streams: ChainStreams;
  readonly #findings: Findings;
  readonly #isRead: boolean;
  readonly #lost = new Map<number, number>();

  constructor(streams: ChainStreams, findings: Findings, isRead: boolean) {
    this.#isRead = isRead;
    this.#streams = streams;
    this.#findings = findings;
  }

  /** Status of the frames below an item that another copy holds. One that is all gone is told once, at the end. */
  async statusOf(entry: Entry, heldBy: number): Promise<number> {
    const link = this.#streams.link(heldBy);
    if (link !== null) {
      const there = framesStatus(link, entry);
      return this.#isRead && there === FRAME_GOOD ? await readStatus(link, entry) : there;
    }
    this.#lost.set(heldBy, (this.#lost.get(heldBy) ?? 0) + 1);
    return FRAME_GOOD;
  }

  /** Looks at every copy of the chain, also those from which nothing is taken any more. */
  end(count: number): void {
    for (let index = 0; index < count; index += 1) {
      if (this.#streams.link(index) !== null) continue;
      const { status, reason } = this.#streams.fault(index);
      const items = this.#lost.get(index) ?? 0;
      const loss = `${items} of the items of this copy have their data there and cannot be restored.`;
      noteLink(this.#findings, this.#streams.idOf(index), `${reason} ${loss}`, status);
    }
  }
}

/** Without a key only this can be seen: is each of them there. */
export function checkPresence(links: readonly ChainLink[], findings: Findings): void {
  for (const { copyId, copyPath } of links) {
    if (!fs.existsSync(copyPath)) noteLink(findings, copyId, 'It is not there.', FRAME_MISSING);
  }
}

function noteLink(findings: Findings, copyId: string, why: string, status: number): void {
  const message = `this copy builds on it. ${why}`;
  const finding = {
    severity: 'error',
    item: `earlier copy ${copyId}`,
    message,
    nextStep: NEXT_STEP,
  } as const;
  findings.add(finding, status === FRAME_MISSING);
}

async function readStatus({ stream }: OpenLink, entry: Entry): Promise<number> {
  let worst = FRAME_GOOD;
  const length = entry.headerLength + entry.storedBytes;
  for await (const piece of stream.pieces(entry.headerOffset ?? 0, length)) {
    worst = Math.max(worst, piece.status);
  }
  return worst;
}

function framesStatus({ reader, stream }: OpenLink, entry: Entry): number {
  const { frameBytes, tarBytes } = reader.file.header;
  const start = entry.headerOffset ?? 0;
  const end = start + entry.headerLength + entry.storedBytes;
  if (end > tarBytes) return FRAME_DAMAGED;
  const size = stream.fileBytes ?? 0;
  try {
    for (let index = Math.floor(start / frameBytes); index * frameBytes < end; index += 1) {
      const { offset, length } = reader.frames.at(index);
      if (offset + length > size) return FRAME_MISSING;
    }
    return FRAME_GOOD;
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'corrupt') return FRAME_DAMAGED;
    throw error;
  }
}
