import type { Generated } from 'kysely';
import type { Flag, Json } from './column-types.ts';

// What is backed up when, and what became of it.

export interface StrategiesTable {
  readonly id: Generated<number>;
  readonly name: string;
  readonly name_key: string;
  readonly pool_id: number;
  readonly priority: number;
  /** Cron with five fields, wall time of `time_zone`. */
  readonly full_schedule: string | null;
  readonly incremental_schedule: string | null;
  readonly differential_schedule: string | null;
  readonly time_zone: string;
  readonly storage_duration: string | null;
  readonly crypto: string;
  /** GB, 0 = no limit. */
  readonly capacity: number;
  readonly enabled: Flag;
  readonly valid_from_ms: number | null;
  readonly valid_until_ms: number | null;
  /** Days. */
  readonly verify_period: number | null;
  /** Files of each new copy that are restored to scratch space and compared; null: none. */
  readonly restore_proof_files: Generated<number | null>;
  /** MB (1,048,576 bytes) that they may take; null: as many as usual. */
  readonly restore_proof_size: Generated<number | null>;
  /** List of the roles that are told of failed and overdue runs; null: all. */
  readonly notification_user_groups: Generated<Json | null>;
  readonly created_ms: number;
  readonly changed_ms: number;
}

export interface StrategyRulesTable {
  readonly id: Generated<number>;
  readonly client_id: number | null;
  readonly strategy_id: number | null;
  readonly resource_type: string;
  readonly resource: string;
  readonly priority: number;
  readonly status: string;
  readonly normal_execution_script: string;
  readonly exception_execution_script: string;
  readonly restore_script: string;
  /** All parameters, by name. */
  readonly module_extensions: Json;
  readonly common_modules_extensions: Json;
  readonly created_ms: number;
  readonly changed_ms: number;
  /** Runs that fell due before are none of this rule: since when it runs as it does; null: from before the scheduler. */
  readonly runs_since_ms: Generated<number | null>;
}

/** How far the runs of a strategy are planned. */
export interface StrategyPlansTable {
  readonly strategy_id: number;
  readonly planned_until_ms: number;
}

/** A change of the schedules of a strategy that is not planned past yet. */
export interface StrategyScheduleChangesTable {
  readonly id: Generated<number>;
  readonly strategy_id: number;
  readonly until_ms: number;
  /** What held until then: what fell due before the change goes by them. */
  readonly schedules: Json;
}

/** What became of a run that fell due. */
export interface StrategyRuleRunsTable {
  readonly id: Generated<number>;
  readonly rule_id: number;
  readonly due_ms: number;
  readonly backup_type: string;
  /** `planned`, `missed` or `skipped`. */
  readonly outcome: string;
  readonly reason: string | null;
  readonly task_id: number | null;
  /** How the task ended; noted when it is removed. */
  readonly task_end: string | null;
  readonly noted_ms: number;
}

/** A rule that was told to be overdue and not yet to be well again. */
export interface OverdueRulesTable {
  readonly rule_id: number;
  /** The run that it lacked when that was told. */
  readonly due_ms: number;
  readonly noted_ms: number;
}
