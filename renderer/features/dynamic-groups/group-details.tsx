import { useCallback, useEffect, useState } from 'react';
import type {
  DynamicPoolGroup,
  DynamicPoolMember,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call, problemOf } from '../../bridge.ts';
import { poolChoices } from '../../shell/choices.ts';
import { flagOf, textOf } from '../../shell/form-values.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { Button, counted, type ListStore, showHidden } from '../../ui/index.ts';

interface GroupProps {
  readonly connectionId: string;
  readonly group: DynamicPoolGroup;
  readonly list: ListStore<DynamicPoolGroup>;
}

/** The limits of a group, and its pools, which are added and taken out here. */
export function GroupDetails(props: GroupProps) {
  const { group } = props;
  const limit = (value: number, unit: string) => (value === 0 ? 'no limit' : `${value} ${unit}`);
  return (
    <section aria-label="Group details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(group.name)}</h2>
      </div>
      <Facts
        facts={[
          ['Tasks on a pool', limit(group.max_pool_tasks, 'at a time')],
          ['Tasks on a server', limit(group.max_media_server_tasks, 'at a time')],
          ['Processors', limit(group.max_cpu_usage, '%')],
          ['Device reads', limit(group.max_in_block_operations, 'a second')],
          ['Device writes', limit(group.max_out_block_operations, 'a second')],
          ['Averaged over', `${group.calculation_period} seconds`],
          ['Description', group.description === null ? null : showHidden(group.description)],
        ]}
      />
      <Members {...props} />
    </section>
  );
}

function Members(props: GroupProps) {
  const { connectionId, group, list } = props;
  const [members, setMembers] = useState<readonly DynamicPoolMember[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const reasonFor = useRights(connectionId);
  const load = useCallback(async () => {
    try {
      const query = { dynamic_pool_group: group.id, page: 1, limit: 500 };
      const answer = await call(connectionId, 'dynamicPoolGroupRecords.list', { query });
      setMembers(answer.items);
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  }, [connectionId, group.id]);
  // The count of the group changes with its members, whoever changed them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count means other members
  useEffect(() => void load(), [load, group.pools_count]);
  const changed = async (): Promise<void> => {
    await Promise.all([load(), list.refresh()]);
  };
  const takeOut = async (member: DynamicPoolMember): Promise<void> => {
    await call(connectionId, 'dynamicPoolGroupRecords.delete', { params: { id: member.id } });
    await changed();
  };
  return (
    <>
      <h3>Pools</h3>
      {problem !== null && <p role="alert">{showHidden(problem)}</p>}
      <ul className="lines" aria-label="Pools of the group">
        {(members ?? []).map((member) => (
          <li key={member.id}>
            <span className="grow">{showHidden(member.pool)}</span>
            <span className="caption">
              {member.enabled ? counted(member.active_tasks, 'active task') : 'gets no tasks'}
            </span>
            <Button
              kind="quiet"
              label={`Take ${member.pool} out of the group`}
              onClick={() => tellFailure(takeOut(member))}
              disabledBecause={reasonFor('dynamic_pool_groups.delete')}
            >
              Take out
            </Button>
          </li>
        ))}
        {members?.length === 0 && <li className="muted">It has no pool yet.</li>}
      </ul>
      <div>
        <Button
          onClick={() => tellFailure(openAdd(connectionId, group, changed))}
          disabledBecause={reasonFor('dynamic_pool_groups.write')}
        >
          Add pool…
        </Button>
      </div>
    </>
  );
}

async function openAdd(
  connectionId: string,
  group: DynamicPoolGroup,
  changed: () => Promise<void>,
): Promise<void> {
  const pools = await poolChoices(connectionId);
  openDialog({
    kind: 'form',
    form: {
      title: `Add a pool to ${showHidden(group.name)}`,
      submitLabel: 'Add',
      summary: 'All pools of a group are of one type, and a pool is in one group only.',
      fields: [
        { name: 'pool', label: 'Pool', type: 'select', choices: pools },
        { name: 'enabled', label: 'It gets tasks', type: 'checkbox' },
      ],
      initial: { pool: pools[0]?.value ?? '', enabled: true },
      submit: async (values) => {
        const body = {
          dynamic_pool_group: group.id,
          pool: textOf(values, 'pool'),
          enabled: flagOf(values, 'enabled'),
        };
        await call(connectionId, 'dynamicPoolGroupRecords.create', { body });
        await changed();
      },
    },
  });
}
