import type { Pool } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import type { Task } from '../../../contract/tasks/task.ts';

export function page<R>(...items: readonly R[]) {
  return () => ({ items, total: items.length });
}

export function pool(id: number, change: Partial<Pool> = {}): Pool {
  return {
    id,
    pool_name: `pool-${id}`,
    pool_type: 'File system',
    media_server: 'here',
    compression_type: 'Optimal',
    description: null,
    retention_period: null,
    ignore_free_space_check: false,
    media_set_name: null,
    takes_scratch: false,
    meta_data_pool: null,
    algorithm: null,
    block_size: null,
    hash_length: null,
    total_space: 100,
    used_space: 10,
    free_space: 90,
    storages_count: 1,
    backups_count: 0,
    created: '2026-01-01T00:00:00',
    ...change,
  };
}

export function copy(id: number, change: Partial<Copy> = {}): Copy {
  return {
    id,
    reference_id: null,
    chain_id: id,
    copy_of: null,
    resource_type: 'File system',
    resource: `/srv/data-${id}`,
    client: 'here (abc)',
    client_hwid: 'abc',
    client_id: 1,
    backup_type: 'full',
    status: 'Not Verified',
    crypto: 'nocrypt',
    signed: false,
    pool: 'Default',
    pool_type: 'File system',
    media_server: 'here',
    storage: '/backups',
    path: `/backups/${id}`,
    size: 2048,
    real_size: 1024,
    created: '2026-01-01T10:00:00',
    store_until: '2027-01-01T10:00:00.250',
    archiving: false,
    rule_id: null,
    strategy_rule_id: null,
    task_id: 1,
    file_list_available: true,
    description: null,
    skipped_items: 0,
    files_count: 3,
    damage: null,
    proven: null,
    proven_files: null,
    proven_bytes: null,
    proof_failure: null,
    ...change,
  };
}

/** A task with the fields that the window shows; the rest is as on a server that leaves it out. */
export function task(id: number, change: Partial<Task> = {}): Task {
  const shown = {
    id,
    task_type: 'backup_urgent',
    resource_type: 'File system',
    resource: `/srv/data-${id}`,
    client: 'here (abc)',
    status: 'done',
    progress: 100,
    speed: 0,
    transferred: 2048,
    created: '2026-01-01T10:00:00',
    created_by: 'admin',
    started: '2026-01-01T10:00:01',
    finished: '2026-01-01T10:00:09',
    pool: 'Default',
    storage_duration: '1 year',
    attempt: 1,
    error_message: null,
    suspend_reason: null,
    skipped_items: 0,
    progress_details: null,
  };
  return { ...shown, ...change } as Task;
}

/** A run ahead at a moment in UTC. */
export function run(utc: string, backup_type = 'full'): Strategy['next_runs'][number] {
  return { backup_type, time: utc.replace('Z', ''), utc };
}

export function strategy(id: number, change: Partial<Strategy> = {}): Strategy {
  return {
    id,
    name: `strategy-${id}`,
    pool: 'Default',
    priority: 100,
    full_schedule: '30 2 * * *',
    incremental_schedule: null,
    differential_schedule: null,
    time_zone: 'Europe/Paris',
    storage_duration: null,
    crypto: 'nocrypt',
    capacity: 0,
    enabled: true,
    valid_from: null,
    valid_until: null,
    verify_period: null,
    restore_proof_files: null,
    restore_proof_size: 1024,
    notification_user_groups: [],
    next_runs: [],
    rules_count: 1,
    created: '2026-01-01T00:00:00',
    changed: '2026-01-01T00:00:00',
    ...change,
  };
}

export function rule(id: number, change: Partial<StrategyRule> = {}): StrategyRule {
  return {
    id,
    client_id: 'here (abc)',
    client_hwid: 'abc',
    client_name: 'here',
    strategy_id: 'strategy-1',
    strategy_name: 'strategy-1',
    resource_type: 'File system',
    resource: `/srv/rule-${id}`,
    priority: 100,
    status: 'run',
    normal_execution_script: '',
    exception_execution_script: '',
    restore_script: '',
    module_extensions: { parameters: {} },
    common_modules_extensions: { parameters: {} },
    created: '2026-01-01T00:00:00',
    changed: '2026-01-01T00:00:00',
    ...change,
  };
}
