import { useCallback, useEffect, useRef } from 'react';
import type {
  DynamicPoolGroup,
  DynamicPoolMember,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call } from '../../bridge.ts';
import { poolChoices, poolTypeOf } from '../../shell/choices.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { flagOf, textOf } from '../../shell/form-values.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { MoreLine, PagesProblem, usePages } from '../../shell/use-pages.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { Button, type ListStore, showHidden } from '../../ui/index.ts';

const groups = textsOf('dynamicGroups');
const { details: words, addForm } = groups;

interface GroupProps {
  readonly connectionId: string;
  readonly group: DynamicPoolGroup;
  readonly list: ListStore<DynamicPoolGroup>;
}

/** The limits of a group, and its pools, which are added and taken out here. */
export function GroupDetails(props: GroupProps) {
  const { group } = props;
  return (
    <section aria-label={words.title} className="page-section">
      <DetailsHead>{showHidden(group.name)}</DetailsHead>
      <Facts
        facts={[
          [words.poolTasks, atATime(group.max_pool_tasks)],
          [words.serverTasks, atATime(group.max_media_server_tasks)],
          [groups.columns.processors, limit('dynamicGroups.percent', group.max_cpu_usage)],
          [words.deviceReads, aSecond(group.max_in_block_operations)],
          [words.deviceWrites, aSecond(group.max_out_block_operations)],
          [words.averagedOver, t('dynamicGroups.details.seconds', { count: group.calculation_period })],
          [t('common.description'), group.description === null ? null : showHidden(group.description)],
        ]}
      />
      <Members {...props} />
    </section>
  );
}

type LimitText = `dynamicGroups.${'percent' | 'details.atATime' | 'details.aSecond'}`;

function limit(text: LimitText, value: number): string {
  return value === 0 ? groups.noLimit : t(text, { value });
}

const atATime = (value: number) => limit('dynamicGroups.details.atATime', value);
const aSecond = (value: number) => limit('dynamicGroups.details.aSecond', value);

function Members(props: GroupProps) {
  const { connectionId, group, list } = props;
  const reasonFor = useRights(connectionId);
  const members = usePages<DynamicPoolMember>(
    useCallback(
      (query, signal) =>
        call(
          connectionId,
          'dynamicPoolGroupRecords.list',
          { query: { dynamic_pool_group: group.id, ...query } },
          signal,
        ),
      [connectionId, group.id],
    ),
  );
  const { list: found, load } = members;
  // The count of the group changes with its members, whoever changed them.
  const seenCount = useRef(group.pools_count);
  useEffect(() => {
    if (seenCount.current === group.pools_count) return;
    seenCount.current = group.pools_count;
    void load();
  }, [load, group.pools_count]);
  const changed = async (): Promise<void> => {
    await Promise.all([load(), list.refresh()]);
  };
  const takeOut = async (member: DynamicPoolMember): Promise<void> => {
    await call(connectionId, 'dynamicPoolGroupRecords.delete', { params: { id: member.id } });
    await changed();
  };
  return (
    <>
      <h3>{words.pools}</h3>
      <PagesProblem pages={members} />
      <ul className="lines" aria-label={words.poolsOfGroup}>
        {(found?.items ?? []).map((member) => (
          <li key={member.id}>
            <span className="grow">{showHidden(member.pool)}</span>
            <span className="caption">
              {member.enabled
                ? t('dynamicGroups.details.activeTasks', { count: member.active_tasks })
                : words.getsNone}
            </span>
            <Button
              kind="quiet"
              label={t('dynamicGroups.details.takeOutOf', { pool: member.pool })}
              onClick={() => tellFailure(takeOut(member))}
              disabledBecause={reasonFor('dynamic_pool_groups.delete')}
            >
              {words.takeOut}
            </Button>
          </li>
        ))}
        {found?.items.length === 0 && <li className="muted">{words.noPool}</li>}
        <MoreLine pages={members} />
      </ul>
      <div>
        <Button
          onClick={() => tellFailure(openAdd(connectionId, group, { members: found?.items ?? [], changed }))}
          disabledBecause={reasonFor('dynamic_pool_groups.write')}
        >
          {words.add}
        </Button>
      </div>
    </>
  );
}

async function openAdd(
  connectionId: string,
  group: DynamicPoolGroup,
  {
    members,
    changed,
  }: { readonly members: readonly DynamicPoolMember[]; readonly changed: () => Promise<void> },
): Promise<void> {
  const [member] = members;
  // All of a group are of one type.
  const type = member === undefined ? undefined : await poolTypeOf(connectionId, member.pool_id);
  const offered = await poolChoices(connectionId, type);
  // A pool is in a group once. Those that a search finds are the server's to refuse.
  const inside = new Set(members.map(({ pool }) => pool));
  const pools = { ...offered, choices: offered.choices.filter(({ value }) => !inside.has(value)) };
  const isNone = pools.choices.length === 0 && pools.search === undefined;
  openDialog({
    kind: 'form',
    form: {
      title: t('dynamicGroups.addForm.title', { group: showHidden(group.name) }),
      submitLabel: addForm.add,
      summary: isNone ? addForm.none : addForm.summary,
      fields: [
        { name: 'pool', label: t('common.pool'), type: 'select', ...pools },
        { name: 'enabled', label: addForm.getsTasks, type: 'checkbox' },
      ],
      initial: { pool: pools.choices[0]?.value ?? '', enabled: true },
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
