import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Configuration } from '../../../contract/configuration/configuration.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { finalStatuses } from '../queue.ts';
import { changeTree, makeChangingTree } from './changing-tree.ts';
import { recountBlocks, strayFolders } from './checks.ts';
import { CopyModel } from './copy-model.ts';
import { type Lab, openLab } from './lab.ts';
import { begin, type Kind, kinds, type Round, type Source, setRule } from './operations.ts';
import { type Seeded, seeded } from './seeded.ts';
import { differences, type TreeFacts, treeFacts } from './tree-facts.ts';

const sourceNames = ['letters', 'pictures', 'accounts', 'programs'] as const;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const patienceMs = 60_000;
/** Nor is the patience over before so many answers: a host with much else to do gives the server little of its time. */
const leastLooks = 1_000;
/** A copy takes place and time at each look at all of them. */
const manyCopies = 14;
const lookEvery = 50;

export interface Figures {
  operations: number;
  kills: number;
  restored: number;
  looks: number;
  /** Ends of tasks, by kind and status. */
  readonly ends: Record<string, number>;
  /** Why tasks failed: each was disturbed by a kill or a deletion. */
  readonly reasons: string[];
}

/** Runs operations against a real server and compares it with what it should be, all from one seed. */
export class World {
  readonly figures: Figures = { operations: 0, kills: 0, restored: 0, looks: 0, ends: {}, reasons: [] };
  /** What was done, for whoever looks for the cause of a failure. */
  readonly story: string[] = [];
  readonly lab: Lab;
  readonly #seed: number;
  readonly #model = new CopyModel();
  readonly #trees: Seeded;
  #sources: readonly Source[] = [];
  #lastTask = 0;
  #rounds = 0;

  private constructor(lab: Lab, seed: number) {
    this.lab = lab;
    this.#seed = seed;
    this.#trees = seeded(seed);
  }

  static async open(folder: string, seed: number): Promise<World> {
    const world = new World(await openLab(folder), seed);
    const sources: Source[] = [];
    for (const name of sourceNames) sources.push(await world.#addSource(name));
    world.#sources = sources;
    return world;
  }

  async run(operations: number): Promise<void> {
    let nextLook = lookEvery;
    while (this.figures.operations < operations) {
      await this.#round(Math.min(5, operations - this.figures.operations));
      if (this.figures.operations < nextLook) continue;
      nextLook += lookEvery;
      await this.look();
    }
    await this.look();
  }

  async #addSource(name: string): Promise<Source> {
    const { queue, folder } = this.lab;
    const tree = path.join(folder, name);
    makeChangingTree(tree, this.#trees);
    const strategy = {
      name,
      pool: this.#trees.pick(['near', 'blocks']),
      time_zone: 'UTC',
      storage_duration: '1 week',
    };
    const { id: strategyId } = await queue.good<{ id: number }>('POST', '/strategies', { data: strategy });
    const client_id = await queue.localClient();
    const rule = {
      client_id,
      strategy_id: name,
      resource_type: 'File system',
      resource: tree,
      status: 'wait',
    };
    const { id } = await queue.good<{ id: number }>('POST', '/strategy_rules', {
      data: { strategy_rule: rule },
    });
    return { name, folder: tree, strategy: name, strategyId, ruleId: id };
  }

  /** Some operations side by side, in every fourth round with a kill of the server in between; then it is seen what became of them. */
  async #round(most: number): Promise<void> {
    this.#rounds += 1;
    // Of its own seed, so that what happened before by chance of time does not change what is chosen.
    const random = seeded(this.#seed * 1_000_003 + this.#rounds);
    const { lab } = this;
    for (const { folder } of this.#sources) if (this.#trees.chance(60)) changeTree(folder, this.#trees);
    const facts = new Map(this.#sources.map(({ folder }) => [folder, treeFacts(folder)]));
    const round: Round = {
      lab,
      random,
      model: this.#model,
      listed: await this.#listed(),
      sources: shuffled(this.#sources, random),
      going: [],
      deleting: new Set(),
      tell: (what) => this.story.push(`  ${what}`),
    };
    const count = Math.min(most, random.between(2, 5));
    const chosen = Array.from({ length: count }, () => random.weighted(weightsFor(round.listed.length)));
    const killAfterMs = random.chance(25) ? random.below(random.pick([150, 600, 2500])) : null;
    this.story.push(`round ${this.#rounds}${killAfterMs === null ? '' : `, killed after ${killAfterMs} ms`}`);
    this.figures.operations += count;
    const working = this.#begin(chosen, round);
    if (killAfterMs === null) await working;
    else await this.#killBeside(working, killAfterMs);
    await this.#settle(round, facts, killAfterMs !== null);
  }

  async #begin(chosen: readonly Kind[], round: Round): Promise<void> {
    for (const kind of chosen) await begin(kind, round);
    if (round.going.length > 0) await this.lab.advance(minuteMs);
  }

  async #killBeside(working: Promise<void>, afterMs: number): Promise<void> {
    // What was being asked when the server went has no answer.
    const ended = working.catch((error: unknown) => {
      if (!isCutOff(error)) throw error;
      this.story.push('  the rest was cut off');
    });
    ended.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await this.lab.kill();
    this.figures.kills += 1;
    await this.lab.start();
    await ended;
  }

  async #settle(round: Round, facts: ReadonlyMap<string, TreeFacts>, wasKilled: boolean): Promise<void> {
    // What was asked of a rule last may not have been heard.
    if (wasKilled) for (const { source } of round.going) await setRule(this.lab, source, 'run');
    if (wasKilled && round.going.length > 0) await this.lab.advance(minuteMs);
    for (const { source, sinceMs } of round.going) await this.#planned(source, sinceMs);
    let tasks = await this.#ended();
    const broken = tasks.filter(({ status }) => status === 'broken').map(({ id }) => id);
    if (broken.length > 0 && round.random.chance(50)) {
      this.story.push(`  tasks ${broken.join(', ')} are begun again`);
      await this.lab.queue.call('POST', '/tasks/restart', { data: { tasks_ids: broken } });
      tasks = await this.#ended();
    }
    const listed = await this.#listed();
    for (const task of tasks) this.#note(task, round, facts, listed, wasKilled);
    this.#lastTask = Math.max(this.#lastTask, ...tasks.map(({ id }) => id));
    await this.#compare();
  }

  /** Waits until the rule's run is noted, then lets the rule wait again. */
  async #planned(source: Source, sinceMs: number): Promise<void> {
    await this.#until(`rule ${source.name} runs`, async () => {
      // The newest first: each minute that a cleaning lets pass is a run too, so there are hundreds in a long run of the test.
      const address = `/strategy_rules/${source.ruleId}/runs?sort=id&order=desc&limit=100`;
      const runs = await this.lab.queue.good<RuleRun[]>('GET', address);
      return runs.some(({ utc }) => Date.parse(utc) >= sinceMs);
    });
    await setRule(this.lab, source, 'wait');
  }

  /** The tasks of the round, when all of them are over. */
  async #ended(): Promise<readonly Task[]> {
    let tasks: readonly Task[] = [];
    const whatIsOpen = () =>
      tasks
        .filter(({ status }) => !finalStatuses.includes(status))
        .map(
          (task) =>
            `task ${task.id}: ${task.task_type} ${task.status} ${task.progress} %, ${task.error_message}`,
        )
        .join('\n');
    await this.#until(
      'all tasks are over',
      async () => {
        const newest = await this.lab.queue.good<Task[]>('GET', '/tasks?sort=id&order=desc&limit=100');
        tasks = newest.filter(({ id }) => id > this.#lastTask);
        if (tasks.every(({ status }) => finalStatuses.includes(status))) return true;
        // What waits for something looks again after a minute.
        if (tasks.some(({ status }) => status === 'suspended')) await this.lab.advance(minuteMs);
        return false;
      },
      whatIsOpen,
    );
    return tasks.toReversed();
  }

  #note(
    task: Task,
    round: Round,
    facts: ReadonlyMap<string, TreeFacts>,
    listed: readonly Copy[],
    wasKilled: boolean,
  ): void {
    const { task_type: type, status, repository_id: copyId } = task;
    const end = `${type}${type === 'backup_strategy' ? ` ${task.backup_type}` : ''} ${status}`;
    this.figures.ends[end] = (this.figures.ends[end] ?? 0) + 1;
    this.story.push(
      `  task ${task.id}: ${end}${copyId === null ? '' : `, copy ${copyId}`}${task.error_message ?? ''}`,
    );
    // A copy that goes meanwhile may be the one that this task is about, or that a backup builds on.
    const isAbout = type.startsWith('backup') ? round.deleting.size > 0 : round.deleting.has(copyId ?? -1);
    const isDisturbed = wasKilled || isAbout;
    if (status === 'error') this.figures.reasons.push(String(task.error_message));
    if (status !== 'done' && !isDisturbed) throw new Error(`task ${task.id}: ${end}: ${task.error_message}`);
    if (status !== 'done' || copyId === null) return;
    if (type.startsWith('backup')) {
      const source = String(task.resource);
      const made = facts.get(source);
      if (made === undefined) throw new Error(`task ${task.id} backed up ${source}`);
      this.#model.add(copyId, { source, facts: made });
    }
    const origin = listed.find(({ id }) => id === copyId)?.copy_of ?? null;
    if (type === 'copy' && origin !== null) this.#model.add(copyId, this.#model.expected(origin));
  }

  async #compare(): Promise<void> {
    let listed = await this.#listed();
    await this.#until('what was deleted is gone', async () => {
      listed = await this.#listed();
      return this.#model.stillListed(listed).length === 0;
    });
    refuse(this.#model.compare(listed, this.lab.now()));
  }

  /** All that must hold while nothing runs: see the title of the test. */
  async look(): Promise<void> {
    this.story.push('look at everything');
    this.figures.looks += 1;
    const begun = this.lab.now();
    await this.lab.advance(hourMs + minuteMs);
    await this.#until('the blocks are cleaned', async () => {
      const settings = await this.lab.queue.good<Configuration>('GET', '/global_configuration');
      const last = settings.dedup_clean_last_time;
      return last !== null && Date.parse(`${last}Z`) > begun;
    });
    await this.#until('what is over is gone', async () => {
      return this.#model.overdue(await this.#listed(), this.lab.now()).length === 0;
    });
    await this.#compare();
    const listed = await this.#listed();
    const tasks = await this.lab.queue.good<Task[]>('GET', '/tasks?status=broken&limit=500');
    const cutOff = tasks.filter(({ task_type: type }) => type === 'copy' || type === 'move').length;
    await this.#until(
      'no folder is left over',
      async () => strayFolders(this.lab, listed, cutOff).length === 0,
      () => strayFolders(this.lab, listed, cutOff).join('\n'),
    );
    refuse(await recountBlocks(this.lab, listed));
    await this.#restoreAll(listed);
  }

  async #restoreAll(listed: readonly Copy[]): Promise<void> {
    const root = path.join(this.lab.folder, 'restored');
    rmSync(root, { recursive: true, force: true });
    await mkdir(root);
    const tasks = [];
    for (const { id } of listed) {
      tasks.push({ id, task: await this.lab.queue.restore(id, path.join(root, String(id))) });
    }
    for (const { id, task } of tasks) {
      const { status, error_message: why } = await this.lab.queue.ended(task);
      if (status !== 'done') refuse([`copy ${id} cannot be restored: ${why}`]);
      const { source, facts } = this.#model.expected(id);
      const restored = treeFacts(path.join(root, String(id), path.basename(source)));
      refuse(differences(facts, restored).map((line) => `copy ${id} comes back with ${line}`));
      this.figures.restored += 1;
      this.#lastTask = Math.max(this.#lastTask, task);
    }
    rmSync(root, { recursive: true });
  }

  #listed(): Promise<readonly Copy[]> {
    return this.lab.queue.good<Copy[]>('GET', '/repository?sort=id&order=asc&limit=500');
  }

  async #until(what: string, isIt: () => Promise<boolean>, detail: () => string = () => ''): Promise<void> {
    const endMs = performance.now() + patienceMs;
    for (let looks = 0; looks < leastLooks || performance.now() < endMs; looks += 1) {
      if (await isIt()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`it does not come that ${what}\n${detail()}`);
  }
}

/** The more copies there are, the more go. */
function weightsFor(copies: number): Readonly<Record<Kind, number>> {
  return copies <= manyCopies ? kinds : { ...kinds, delete: kinds.delete * 6, expire: kinds.expire * 4 };
}

function shuffled<T>(items: readonly T[], random: Seeded): T[] {
  return items
    .map((item) => ({ item, at: random.below(1e9) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** The connection went, or was refused, since the server was ended. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('fetch failed');
}
