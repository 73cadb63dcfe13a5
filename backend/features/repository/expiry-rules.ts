import {
  type CopyCounts,
  type DeletionFacts,
  type DeletionPlan,
  type DeletionSettings,
  expiredWithDependants,
  planDeletion,
} from './deletion-rules.ts';
import { mandatoryUntil } from './retention-rules.ts';

export interface ExpirySettings extends DeletionSettings {
  /** Broken copies go before their time. */
  readonly removesBroken: boolean;
}

/** What says when a copy goes by itself. */
export interface ExpiryFacts extends DeletionFacts {
  readonly isArchiving: boolean;
  readonly isBroken: boolean;
}

/** The copies that are due at a moment, and all that is asked about them. */
export interface ExpirySnapshot {
  /** In the order of their ids. */
  readonly due: readonly number[];
  /** Of each that is due: all copies that reach it through their references. */
  readonly dependants: ReadonlyMap<number, readonly number[]>;
  /** Of each that is due. */
  readonly facts: ReadonlyMap<number, ExpiryFacts>;
  /** Of the listed copies, by rule, and by rule of a strategy. */
  readonly copiesOfRule: ReadonlyMap<number, CopyCounts>;
  readonly copiesOfStrategyRule: ReadonlyMap<number, CopyCounts>;
  readonly settings: ExpirySettings;
  readonly nowMs: number;
}

/** What becomes of one copy that is due, together with those that still build on it. */
export interface ExpiryStep {
  readonly id: number;
  /** The copy and what builds on it. */
  readonly chain: readonly number[];
  /** From when on no time stands against it any more; later than `nowMs` when one does. */
  readonly fromMs: number;
  readonly plan: DeletionPlan;
}

/** From when on a copy goes by itself, if no rule stands against it; infinite = never. */
export function expiresAt(
  copy: Pick<ExpiryFacts, 'storeUntilMs' | 'isArchiving' | 'isBroken'>,
  { removesBroken }: Pick<ExpirySettings, 'removesBroken'>,
): number {
  if (copy.isBroken && removesBroken) return Number.NEGATIVE_INFINITY;
  return copy.isArchiving ? Number.POSITIVE_INFINITY : (copy.storeUntilMs ?? Number.POSITIVE_INFINITY);
}

/** From when on neither its time nor a rule about time stands against it. */
function removableFrom(copy: ExpiryFacts, settings: ExpirySettings): number {
  const immutableUntil = settings.immutableArchives
    ? (copy.storeUntilMs ?? Number.POSITIVE_INFINITY)
    : Number.NEGATIVE_INFINITY;
  return Math.max(expiresAt(copy, settings), mandatoryUntil(copy, settings), immutableUntil);
}

/**
 * What becomes of the copies that are due, in the order in which they could go: so the same ones are left whether
 * the server looked every minute or not for a year, and of a rule the one that was to be kept longest is the last.
 * Lazy, since there may be very many.
 */
export function* planExpiry(snapshot: ExpirySnapshot): Generator<ExpiryStep, void> {
  const { settings, nowMs, facts } = snapshot;
  const copiesOfRule = new Map(snapshot.copiesOfRule);
  const copiesOfStrategyRule = new Map(snapshot.copiesOfStrategyRule);
  const gone = new Set<number>();
  const isThere = (id: number): boolean => !gone.has(id);
  const dependantsOf = (id: number) => (snapshot.dependants.get(id) ?? []).filter(isThere);
  for (const { id, fromMs } of inOrder(snapshot)) {
    if (gone.has(id)) continue;
    const chain = [id, ...dependantsOf(id)];
    const plan = planDeletion({
      ids: chain,
      dependants: new Map(chain.map((each) => [each, dependantsOf(each)])),
      facts,
      copiesOfRule,
      copiesOfStrategyRule,
      settings,
      nowMs,
    });
    yield { id, chain, fromMs, plan };
    if (!plan.ok) continue;
    for (const each of plan.ids) {
      gone.add(each);
      const copy = facts.get(each);
      if (copy === undefined) continue;
      takeOne(copiesOfRule, copy.ruleId, copy);
      takeOne(copiesOfStrategyRule, copy.strategyRuleId, copy);
    }
  }
}

function inOrder({ due, dependants, facts, settings }: ExpirySnapshot) {
  const fromOf = (id: number): number => {
    const copy = facts.get(id);
    return copy === undefined ? Number.POSITIVE_INFINITY : removableFrom(copy, settings);
  };
  return expiredWithDependants(due, dependants)
    .map((id) => ({
      id,
      fromMs: (dependants.get(id) ?? []).reduce(
        (latest, other) => Math.max(latest, fromOf(other)),
        fromOf(id),
      ),
    }))
    .sort((left, right) => {
      // Two that never could are equal, though their difference is no number.
      if (left.fromMs === right.fromMs) return left.id - right.id;
      return left.fromMs < right.fromMs ? -1 : 1;
    });
}

function takeOne(
  counts: Map<number, CopyCounts>,
  rule: number | null,
  { isGood }: Pick<ExpiryFacts, 'isGood'>,
): void {
  if (rule === null) return;
  const { all, good } = counts.get(rule) ?? { all: 0, good: 0 };
  counts.set(rule, { all: all - 1, good: good - (isGood ? 1 : 0) });
}
