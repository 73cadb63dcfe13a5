import { expect, it } from 'vitest';
import { countsByRule } from '../../../backend/features/repository/deletion-rules.ts';
import {
  type ExpiryFacts,
  type ExpirySettings,
  planExpiry,
} from '../../../backend/features/repository/expiry-rules.ts';
import { storeUntil } from '../../../backend/features/repository/retention-rules.ts';
import { seeded } from '../../support/random/seeded.ts';

const cases = 100_000;
const dayMs = 86_400_000;
const nowMs = Date.UTC(2030, 5, 15, 12);

interface Copy extends ExpiryFacts {
  readonly baseId: number | null;
}

interface World {
  readonly copies: readonly Copy[];
  readonly settings: ExpirySettings;
}

type Random = (below: number) => number;

function randomWorld(random: Random): World {
  const seldom = (): boolean => random(5) === 0;
  const copies = Array.from({ length: 1 + random(8) }, (_, index): Copy => {
    const id = index + 1;
    const status = random(6);
    return {
      id,
      baseId: index > 0 && random(2) === 0 ? 1 + random(index) : null,
      createdMs: nowMs - random(60) * dayMs - random(dayMs),
      // Many at the same moment, and some at this very one.
      storeUntilMs: seldom() ? null : nowMs + (random(24) - 18) * dayMs,
      ruleId: random(3) === 0 ? 1 : null,
      strategyRuleId: random(3) === 0 ? null : 1 + random(2),
      usedByTasks: random(12) === 0 ? [id + 100] : [],
      isArchiving: random(10) === 0,
      isBroken: status === 0,
      isGood: status > 1,
    };
  });
  const settings: ExpirySettings = {
    mandatoryStorageDays: [0, 0, 10, 40][random(4)] ?? 0,
    immutableArchives: random(3) === 0,
    removesChain: random(2) === 0,
    keepsLastOfRule: random(2) === 0,
    keepsLastOfStrategyRule: random(3) > 0,
    removesBroken: random(2) === 0,
  };
  return { copies, settings };
}

/** All copies that build on one, directly or not, among those that are there. */
function buildingOn(id: number, copies: readonly Copy[]): readonly Copy[] {
  const direct = copies.filter(({ baseId }) => baseId === id);
  return [...new Set(direct.flatMap((copy) => [copy, ...buildingOn(copy.id, copies)]))];
}

/** Whether nothing about time stands against the end of one copy at a moment. */
function isOver(copy: Copy, settings: ExpirySettings, atMs: number): boolean {
  const isPast = copy.storeUntilMs !== null && copy.storeUntilMs <= atMs;
  const isWanted = (copy.isBroken && settings.removesBroken) || (isPast && !copy.isArchiving);
  const isOldEnough = atMs - copy.createdMs >= settings.mandatoryStorageDays * dayMs;
  return isWanted && isOldEnough && (isPast || !settings.immutableArchives);
}

/** Rules that protect and of which neither a copy nor, if there was one, a good copy would be left. */
function isLastOfRule(going: readonly Copy[], there: readonly Copy[], settings: ExpirySettings): boolean {
  const left = there.filter((copy) => !going.includes(copy));
  const isLost = (ruleOf: (copy: Copy) => number | null): boolean =>
    going.some((copy) => {
      const isSame = (other: Copy): boolean => ruleOf(other) === ruleOf(copy);
      if (ruleOf(copy) === null) return false;
      return !left.some(isSame) || (copy.isGood && !left.some((other) => isSame(other) && other.isGood));
    });
  return (
    (settings.keepsLastOfRule && isLost(({ ruleId }) => ruleId)) ||
    (settings.keepsLastOfStrategyRule && isLost(({ strategyRuleId }) => strategyRuleId))
  );
}

/** The simple reference: day by day, nothing looked ahead; what may go goes, with all that builds on it. */
function leftAfterDays({ copies, settings }: World): readonly Copy[] {
  const ends = copies.flatMap((copy) => [
    copy.createdMs + settings.mandatoryStorageDays * dayMs,
    ...(copy.storeUntilMs === null ? [] : [copy.storeUntilMs]),
  ]);
  const moments = [...new Set([...ends, nowMs])].filter((ms) => ms <= nowMs).sort((a, b) => a - b);
  let there = copies;
  // Before all of them: what is broken has no time of its own.
  for (const atMs of [Number.MIN_SAFE_INTEGER, ...moments]) {
    for (const copy of copies) {
      if (!there.includes(copy)) continue;
      const going = [copy, ...buildingOn(copy.id, there)];
      const isFree = going.every((each) => isOver(each, settings, atMs) && each.usedByTasks.length === 0);
      if (isFree && !isLastOfRule(going, there, settings)) {
        there = there.filter((each) => !going.includes(each));
      }
    }
  }
  return there;
}

/** What the plan of the expiry leaves. */
function leftByPlan({ copies, settings }: World): readonly Copy[] {
  const due = copies.filter(
    (copy) =>
      (copy.isBroken && settings.removesBroken) ||
      (!copy.isArchiving && copy.storeUntilMs !== null && copy.storeUntilMs <= nowMs),
  );
  const gone = new Set<number>();
  for (const { plan } of planExpiry({
    due: due.map(({ id }) => id),
    dependants: new Map(due.map(({ id }) => [id, buildingOn(id, copies).map((copy) => copy.id)])),
    facts: new Map(due.map((copy) => [copy.id, copy])),
    copiesOfRule: countsByRule(copies, ({ ruleId }) => ruleId),
    copiesOfStrategyRule: countsByRule(copies, ({ strategyRuleId }) => strategyRuleId),
    settings,
    nowMs,
  })) {
    if (plan.ok) for (const id of plan.ids) gone.add(id);
  }
  return copies.filter(({ id }) => !gone.has(id));
}

it(`${cases} random sets of copies and policies: what expires is what a day-by-day reference lets go, nothing early, never the last good copy (case 95)`, {
  timeout: 120_000,
}, () => {
  const random = seeded(20300615).below;
  let removed = 0;
  let protectedRules = 0;
  for (let number = 0; number < cases; number += 1) {
    const world = randomWorld(random);
    const { copies, settings } = world;
    const left = leftByPlan(world);
    const ids = left.map(({ id }) => id).join();
    const expected = leftAfterDays(world)
      .map(({ id }) => id)
      .join();
    if (ids !== expected) expect({ number, world, ids }).toEqual({ number, world, ids: expected });
    // The promises themselves, apart from the reference.
    const gone = copies.filter((copy) => !left.includes(copy));
    removed += gone.length;
    if (gone.some((copy) => !isOver(copy, settings, nowMs))) expect.fail(`case ${number}: one went early`);
    if (left.some(({ baseId }) => gone.some(({ id }) => id === baseId))) {
      expect.fail(`case ${number}: a copy lost what it builds on`);
    }
    if (!settings.keepsLastOfStrategyRule) continue;
    for (const rule of [1, 2]) {
      const isGoodOf = (copy: Copy): boolean => copy.strategyRuleId === rule && copy.isGood;
      if (!copies.some(isGoodOf)) continue;
      protectedRules += 1;
      if (!left.some(isGoodOf)) expect.fail(`case ${number}: the last good copy of rule ${rule} went`);
    }
  }
  // The policies are not so strict that nothing is compared, nor so lax that nothing is protected.
  expect(removed).toBeGreaterThan(cases / 2);
  expect(protectedRules).toBeGreaterThan(cases / 4);
});

it(`${cases} random dates and durations: a copy is kept to the same time of that day in the calendar`, () => {
  const random = seeded(20300616).below;
  const units = ['day', 'week', 'month', 'year'] as const;
  for (let number = 0; number < cases; number += 1) {
    const from = new Date(2000 + random(60), random(12), 1 + random(31), random(24), random(60), random(60));
    const unit = units[random(4)] ?? 'day';
    const count = 1 + random(60);
    const until = new Date(storeUntil(from.getTime(), `${count} ${unit}`) ?? Number.NaN);
    const [year, month, day] = endOf(from, count, unit);
    const expected = new Date(year, month, day, from.getHours(), from.getMinutes(), from.getSeconds());
    if (until.getTime() !== expected.getTime()) {
      expect([from, count, unit, until]).toEqual([from, count, unit, expected]);
    }
    if (until <= from) expect.fail(`${from} kept for ${count} ${unit} ends at ${until}`);
  }
});

/** By counting days and months one by one. */
function endOf(from: Date, count: number, unit: 'day' | 'week' | 'month' | 'year'): [number, number, number] {
  let [year, month, day] = [from.getFullYear(), from.getMonth(), from.getDate()];
  if (unit === 'month' || unit === 'year') {
    for (let left = unit === 'year' ? count * 12 : count; left > 0; left -= 1) {
      month += 1;
      if (month === 12) [year, month] = [year + 1, 0];
    }
    return [year, month, Math.min(day, lengthOf(year, month))];
  }
  for (let left = unit === 'week' ? count * 7 : count; left > 0; left -= 1) {
    day += 1;
    if (day <= lengthOf(year, month)) continue;
    [month, day] = [month + 1, 1];
    if (month === 12) [year, month] = [year + 1, 0];
  }
  return [year, month, day];
}

function lengthOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 1) return isLeap ? 29 : 28;
  return [3, 5, 8, 10].includes(month) ? 30 : 31;
}
