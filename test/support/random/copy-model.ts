import type { Copy } from '../../../contract/repository/copy.ts';
import type { TreeFacts } from './tree-facts.ts';

/** What a copy must bring back. */
export interface Expected {
  /** The folder that was backed up. */
  readonly source: string;
  readonly facts: TreeFacts;
}

/** What should be in the repository, from what was asked for and what was answered; it knows nothing of how that is done. */
export class CopyModel {
  /** All that ever was, also what is deleted: a second copy may outlive its origin. */
  readonly #known = new Map<number, Expected>();
  readonly #there = new Set<number>();
  readonly #lastSeen = new Map<number, Copy>();
  /** Deletions that were answered with yes. */
  readonly #mustGo = new Set<number>();
  /** Deletions without an answer. */
  readonly #mayGo = new Set<number>();

  add(id: number, expected: Expected): void {
    this.#known.set(id, expected);
    this.#there.add(id);
  }

  expected(id: number): Expected {
    const known = this.#known.get(id);
    if (known === undefined) throw new Error(`nobody made copy ${id}`);
    return known;
  }

  isKnown(id: number): boolean {
    return this.#known.has(id);
  }

  deleted(ids: readonly number[]): void {
    for (const id of ids) this.#mustGo.add(id);
  }

  /** With what builds on them. */
  maybeDeleted(ids: readonly number[]): void {
    for (const id of this.withDependants(ids)) this.#mayGo.add(id);
  }

  /** It was refused to delete them. */
  keeps(ids: readonly number[]): void {
    for (const id of this.withDependants(ids)) this.#mayGo.delete(id);
  }

  mayBeGone(id: number): boolean {
    return this.#mustGo.has(id) || this.#mayGo.has(id);
  }

  withDependants(ids: readonly number[]): ReadonlySet<number> {
    const found = new Set(ids);
    for (let size = 0; size !== found.size; ) {
      size = found.size;
      for (const { id, reference_id: on } of this.#lastSeen.values()) {
        if (on !== null && found.has(on)) found.add(id);
      }
    }
    return found;
  }

  /** Copies that should have gone and are listed all the same. */
  stillListed(listed: readonly Copy[]): readonly number[] {
    return listed.map(({ id }) => id).filter((id) => this.#mustGo.has(id));
  }

  /** Copies that are listed although their time is over and nothing that is kept longer builds on them. */
  overdue(listed: readonly Copy[], nowMs: number): readonly number[] {
    const isOver = (copy: Copy) => storeUntilMs(copy) <= nowMs && !copy.archiving;
    const byId = new Map(listed.map((copy) => [copy.id, copy]));
    return listed
      .filter((copy) => [...this.withDependants([copy.id])].every((id) => isOver(byId.get(id) ?? copy)))
      .map(({ id }) => id);
  }

  /** Takes the list as it is now; gives what is wrong with it, as lines to read. */
  compare(listed: readonly Copy[], nowMs: number): readonly string[] {
    for (const copy of listed) this.#lastSeen.set(copy.id, copy);
    const ids = new Set(listed.map(({ id }) => id));
    const problems: string[] = [];
    for (const id of ids) if (!this.#there.has(id)) problems.push(`copy ${id} is listed, but nobody made it`);
    for (const id of this.#there) {
      if (ids.has(id)) continue;
      const last = this.#lastSeen.get(id);
      const isExpired = last === undefined || storeUntilMs(last) <= nowMs;
      if (!isExpired && !this.mayBeGone(id)) problems.push(`copy ${id} is gone, and nothing deleted it`);
      this.#there.delete(id);
      this.#lastSeen.delete(id);
    }
    this.#mayGo.clear();
    return problems;
  }
}

/** The server runs in UTC, so its times are those of UTC. */
function storeUntilMs({ store_until: until }: Copy): number {
  return until === null ? Number.POSITIVE_INFINITY : Date.parse(`${until}Z`);
}
