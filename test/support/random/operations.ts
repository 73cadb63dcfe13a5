import path from 'node:path';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { CopyModel } from './copy-model.ts';
import { type Lab, type PoolName, poolNames, pools } from './lab.ts';
import type { Seeded } from './seeded.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** A folder that is backed up, and the rule that does it. */
export interface Source {
  readonly name: string;
  readonly folder: string;
  readonly strategy: string;
  readonly strategyId: number;
  readonly ruleId: number;
}

/** What the operations of one round know of each other. */
export interface Round {
  readonly lab: Lab;
  readonly random: Seeded;
  readonly model: CopyModel;
  /** As they were before the round. */
  readonly listed: readonly Copy[];
  /** Not backed up yet in this round; each is at most once, so that it is known of which state a copy is. */
  readonly sources: Source[];
  /** Rules that are set going, with the moment of the server's clock before. */
  readonly going: { readonly source: Source; readonly sinceMs: number }[];
  /** Copies that were asked to go. */
  readonly deleting: Set<number>;
  readonly tell: (what: string) => void;
}

export const kinds = {
  full: 8,
  incremental: 8,
  differential: 4,
  copy: 5,
  move: 6,
  verify: 5,
  restore: 3,
  delete: 7,
  expire: 2,
  clean: 2,
} as const;
export type Kind = keyof typeof kinds;

export async function begin(kind: Kind, round: Round): Promise<void> {
  if (kind === 'full') return backUp(round);
  if (kind === 'incremental' || kind === 'differential') return setGoing(kind, round);
  if (kind === 'clean') return clean(round);
  const copy = round.listed.length === 0 ? null : round.random.pick(round.listed);
  if (copy === null) return round.tell('nothing, as there is no copy');
  if (kind === 'delete') return remove(copy, round);
  if (kind === 'expire') return expire(copy, round);
  if (kind === 'verify') return ask(round, `/repository/${copy.id}/verification`);
  if (kind === 'restore') return restore(copy, round);
  const fitting = poolNames.filter((pool) => canTake(pool, copy.crypto) && pool !== copy.pool);
  await ask(
    round,
    `/repository/${copy.id}/${kind === 'copy' ? 'copying' : 'moving'}?pool_name=${round.random.pick(fitting)}`,
  );
}

/** Which encryption a pool takes. */
export function canTake(pool: PoolName, crypto: string): boolean {
  return pools[pool].kind === 'files' || crypto !== 'age';
}

function chooseTarget(random: Seeded): { readonly pool: PoolName; readonly crypto: string } {
  const pool = random.pick(poolNames);
  const crypto = random.weighted({ nocrypt: 2, 'aes-256-gcm': 1, age: 1 });
  return { pool, crypto: canTake(pool, crypto) ? crypto : 'nocrypt' };
}

async function backUp(round: Round): Promise<void> {
  const source = round.sources.pop();
  const { pool, crypto } = chooseTarget(round.random);
  const duration = round.random.pick(['1 day', '2 days', '1 week', '1 year']);
  if (source === undefined) return round.tell('nothing, as all is being backed up');
  round.tell(`full backup of ${source.name} to ${pool} (${crypto}, ${duration})`);
  await round.lab.queue.backup(source.folder, { pool, crypto, storage_duration: duration });
}

/** A copy by the rule of the source: its schedule is set to the next minute, and the clock goes there. */
async function setGoing(kind: 'incremental' | 'differential', round: Round): Promise<void> {
  const { lab, random } = round;
  const source = round.sources.pop();
  const { pool, crypto } = chooseTarget(random);
  const isSame = random.chance(80);
  if (source === undefined) return round.tell('nothing, as all is being backed up');
  round.tell(`${kind} backup of ${source.name}${isSame ? '' : `, now to ${pool} (${crypto})`}`);
  const schedules = { incremental_schedule: null, differential_schedule: null };
  const wished = { ...schedules, [`${kind}_schedule`]: '* * * * *', ...(isSame ? {} : { pool, crypto }) };
  await lab.queue.good('PATCH', `/strategies/${source.strategyId}`, { data: wished });
  round.going.push({ source, sinceMs: lab.now() });
  await setRule(lab, source, 'run');
}

export async function setRule(lab: Lab, source: Source, status: 'run' | 'wait'): Promise<void> {
  await lab.queue.good('PATCH', `/strategy_rules/${source.ruleId}`, { data: { strategy_rule: { status } } });
}

async function remove(copy: Copy, { lab, model, deleting, tell }: Round): Promise<void> {
  tell(`deletion of copy ${copy.id}`);
  for (const id of model.withDependants([copy.id])) deleting.add(id);
  // An answer that does not come says neither.
  model.maybeDeleted([copy.id]);
  const reply = await lab.queue.call('DELETE', `/repository/${copy.id}`);
  if (reply.status === 200) model.deleted((reply.body.data as { ids: number[] }).ids);
  else {
    model.keeps([copy.id]);
    tell(`  refused: ${reply.body.message}`);
  }
}

async function expire(copy: Copy, { lab, deleting, model, tell }: Round): Promise<void> {
  tell(`copy ${copy.id} expires`);
  for (const id of model.withDependants([copy.id])) deleting.add(id);
  model.maybeDeleted([copy.id]);
  const until = new Date(lab.now() + 1000).toISOString().slice(0, 19);
  const reply = await lab.queue.call('PATCH', `/repository/${copy.id}`, { data: { store_until: until } });
  if (reply.status !== 200) tell(`  refused: ${reply.body.message}`);
  await lab.advance(minuteMs + 1000);
}

async function clean({ lab, tell }: Round): Promise<void> {
  tell('cleaning');
  await lab.advance(hourMs + minuteMs);
}

async function restore(copy: Copy, round: Round): Promise<void> {
  const target_client = await round.lab.queue.localClient();
  const destination_path = path.join(round.lab.folder, 'restored', `${copy.id}-${round.random.below(1e9)}`);
  const restoreTask = { restore_task: { target_client, destination_path } };
  await ask(round, `/repository/${copy.id}/restoring`, { data: restoreTask });
}

/** Refused is what stands against what another operation of the round does. */
async function ask({ lab, tell }: Round, what: string, body?: object): Promise<void> {
  tell(what);
  const reply = await lab.queue.call('POST', what, body);
  if (reply.status >= 500) throw new Error(`${what}: ${reply.status} ${reply.body.message}`);
  if (reply.status >= 300) tell(`  refused: ${reply.body.message} ${JSON.stringify(reply.body.errors)}`);
}
