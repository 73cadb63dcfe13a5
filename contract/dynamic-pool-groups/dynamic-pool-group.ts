import { z } from 'zod';
import { Count, Id } from '../records.ts';
import { Description, ObjectName } from '../words.ts';

const mostAtAll = 2_147_483_647;

/** Every figure of a group: what is stored when nothing was said, and what may be said. */
const figures = {
  max_pool_tasks: { unit: 'active tasks on one member', min: 0, max: mostAtAll, default: 0 },
  max_media_server_tasks: { unit: 'active tasks on one media server', min: 0, max: mostAtAll, default: 0 },
  max_cpu_usage: { unit: "percent of the media server's processors", min: 0, max: 100, default: 0 },
  max_in_block_operations: { unit: 'device reads in a second', min: 0, max: mostAtAll, default: 0 },
  max_out_block_operations: { unit: 'device writes in a second', min: 0, max: mostAtAll, default: 0 },
  calculation_period: {
    unit: 'seconds over which processors and devices are averaged',
    min: 1,
    max: 3600,
    default: 60,
  },
} as const;
export type GroupFigure = keyof typeof figures;
export const groupFigures = Object.keys(figures) as readonly GroupFigure[];

export const groupFigureDefaults: Readonly<Record<GroupFigure, number>> = {
  max_pool_tasks: figures.max_pool_tasks.default,
  max_media_server_tasks: figures.max_media_server_tasks.default,
  max_cpu_usage: figures.max_cpu_usage.default,
  max_in_block_operations: figures.max_in_block_operations.default,
  max_out_block_operations: figures.max_out_block_operations.default,
  calculation_period: figures.calculation_period.default,
};

function figure(name: GroupFigure) {
  const { unit, min, max, default: fallback } = figures[name];
  const message = `must be a whole number from ${min} to ${max}`;
  const off = min === 0 ? '; 0 = no limit' : '';
  return z
    .int(message)
    .min(min, message)
    .max(max, message)
    .nullish()
    .meta({ description: `${unit} (${fallback} unless told${off})` });
}

const limits = {
  max_pool_tasks: figure('max_pool_tasks'),
  max_media_server_tasks: figure('max_media_server_tasks'),
  max_cpu_usage: figure('max_cpu_usage'),
  max_in_block_operations: figure('max_in_block_operations'),
  max_out_block_operations: figure('max_out_block_operations'),
  calculation_period: figure('calculation_period'),
  description: Description.nullish(),
};

/** Pools of equal value: a task addressed to any of them is placed on the one with the lowest load. */
export const DynamicPoolGroup = z.object({
  id: Id,
  name: z.string(),
  max_pool_tasks: Count,
  max_media_server_tasks: Count,
  max_cpu_usage: Count,
  max_in_block_operations: Count,
  max_out_block_operations: Count,
  calculation_period: Count,
  description: z.string().nullable(),
  pools_count: Count,
});
export type DynamicPoolGroup = z.output<typeof DynamicPoolGroup>;

export const DynamicPoolGroupDraft = z.strictObject({ name: ObjectName, ...limits });
export type DynamicPoolGroupDraft = z.output<typeof DynamicPoolGroupDraft>;

/** `null` puts a figure back to its default. */
export const DynamicPoolGroupPatch = z.strictObject({ name: ObjectName.optional(), ...limits });
export type DynamicPoolGroupPatch = z.output<typeof DynamicPoolGroupPatch>;

/** A pool's membership. */
export const DynamicPoolMember = z.object({
  id: Id,
  dynamic_pool_group: Id,
  dynamic_pool_group_name: z.string(),
  pool: z.string(),
  pool_id: Id,
  media_server: z.string(),
  /** Tasks are placed on enabled members only. */
  enabled: z.boolean(),
  active_tasks: Count,
});
export type DynamicPoolMember = z.output<typeof DynamicPoolMember>;

export const DynamicPoolMemberDraft = z.strictObject({
  dynamic_pool_group: Id.meta({ description: 'id of the dynamic pool group' }),
  pool: ObjectName.meta({ description: 'name of a pool that is in no group yet' }),
  enabled: z
    .boolean('must be true or false')
    .nullish()
    .meta({ description: 'tasks are placed on it (true unless told)' }),
});
export type DynamicPoolMemberDraft = z.output<typeof DynamicPoolMemberDraft>;
