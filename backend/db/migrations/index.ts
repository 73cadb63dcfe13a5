import { first } from './0001-first.ts';
import { dynamicPoolGroups } from './0004-dynamic-pool-groups.ts';
import { devices } from './0005-devices.ts';
import { journals } from './0008-journals.ts';
import { auditors } from './0009-auditors.ts';
import type { Migration } from './migration.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [first, dynamicPoolGroups, devices, journals, auditors];
