import { useState } from 'react';
import { useStore } from 'zustand';
import { type Copy, copyStatuses } from '../../../contract/repository/copy.ts';
import { call } from '../../bridge.ts';
import { kindWord, verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { Filter, withFilter } from '../../shell/filter.tsx';
import { KindMark } from '../../shell/kind-mark.tsx';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewBackupButton } from '../../shell/new-backup-button.tsx';
import { useExtension } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { TabbedScreen } from '../../shell/tabbed-screen.tsx';
import { showIn } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  Button,
  Capped,
  type Column,
  formatBytes,
  formatCount,
  formatExactBytes,
  PathText,
  StatusBadge,
  showHidden,
  Tabs,
  thinDash,
} from '../../ui/index.ts';
import { CopyActions } from './copy-actions.tsx';
import { CopyChain } from './copy-chain.tsx';
import { FileTree } from './file-tree.tsx';
import { failureText, ProvenCell, provenText } from './proof-words.tsx';
import { RetentionScreen } from './retention-screen.tsx';

const source: ListSource<Copy> = {
  name: 'Copies',
  kinds: ['repository'],
  pollMs: 30_000,
  idOf: (copy) => copy.id,
  initial: { sort: { field: 'id', order: 'desc' } },
  load: (connectionId, request, signal) => call(connectionId, 'repository.list', listInput(request), signal),
};

const words = textsOf('copies');
const common = textsOf('common');

/** What a decision needs stands first: these six are seen in a window of 1,280 pixels. */
const columns: readonly Column<Copy>[] = [
  {
    id: 'resource',
    header: words.columns.resource,
    widthPx: 182,
    cell: (copy) => <PathText text={copy.resource} />,
    title: (copy) => showHidden(copy.resource),
  },
  {
    id: 'status',
    header: words.columns.verification,
    widthPx: 142,
    cell: (copy) => (
      <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
    ),
    title: (copy) => showHidden(verificationWord(copy.status)),
  },
  {
    id: 'size',
    header: common.size,
    widthPx: 82,
    align: 'right',
    cell: (copy) => formatBytes(copy.size),
    title: (copy) => formatExactBytes(copy.size),
  },
  { id: 'created', header: common.created, widthPx: 166, cell: (copy) => serverTime(copy.created) },
  {
    id: 'store_until',
    header: words.columns.keepUntil,
    widthPx: 166,
    cell: (copy) => (copy.store_until === null ? common.forever : serverTime(copy.store_until)),
  },
  {
    id: 'client',
    header: common.client,
    widthPx: 134,
    cell: (copy) => showHidden(copy.client),
    title: (copy) => showHidden(copy.client),
  },
  {
    id: 'proven',
    header: words.columns.proven,
    widthPx: 224,
    cell: (copy) => <ProvenCell copy={copy} />,
    title: (copy) => failureText(copy) ?? provenText(copy) ?? undefined,
  },
  {
    id: 'backup_type',
    header: common.type,
    widthPx: 146,
    cell: (copy) => <KindMark kind={copy.backup_type} />,
  },
  {
    id: 'real_size',
    header: words.columns.stored,
    widthPx: 96,
    align: 'right',
    cell: (copy) => formatBytes(copy.real_size),
    title: (copy) => formatExactBytes(copy.real_size),
  },
  { id: 'pool', header: common.pool, widthPx: 110, cell: (copy) => showHidden(copy.pool ?? thinDash) },
  {
    id: 'reference_id',
    header: words.columns.reference,
    widthPx: 90,
    align: 'right',
    cell: (copy) => copy.reference_id ?? thinDash,
  },
  { id: 'id', header: common.id, widthPx: 80, align: 'right', cell: (copy) => copy.id },
];

/** The copies that are there, and what will be there of them. */
export function CopiesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const isForeseen = useExtension(connectionId, 'retention_preview');
  if (!isForeseen) return <CopyList connectionId={connectionId} />;
  const views = [
    { id: 'list', label: words.views.list, draw: () => <CopyList connectionId={connectionId} /> },
    {
      id: 'retention',
      label: words.views.retention,
      draw: () => <RetentionScreen connectionId={connectionId} />,
    },
  ];
  return <TabbedScreen label={words.views.label} views={views} />;
}

function CopyList(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const { query } = useStore(list.store);
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.empty}
      newAction={<NewBackupButton connectionId={connectionId} />}
      filters={
        <Filter
          label={words.columns.verification}
          all={words.anyVerification}
          value={query.filters.status}
          choices={copyStatuses.map((status) => [status, verificationWord(status)])}
          onChange={(status) => list.setQuery({ filters: withFilter(query.filters, { status }) })}
        />
      }
      actionsLabel={words.actions}
      actions={<CopyActions connectionId={connectionId} list={list} />}
      details={(copy) => <CopyDetails connectionId={connectionId} copy={copy} />}
    />
  );
}

const tabs = [
  { id: 'facts', label: words.tabs.facts },
  { id: 'chain', label: words.tabs.chain },
  { id: 'files', label: words.tabs.files },
] as const;

function CopyDetails(props: { readonly connectionId: string; readonly copy: Copy }) {
  const { connectionId, copy } = props;
  const [tab, setTab] = useState<string>('facts');
  return (
    <section
      aria-label={words.details}
      style={{ display: 'flex', flexDirection: 'column', gap: 12, flex: 1, minHeight: 0 }}
    >
      <DetailsHead>{t('copies.named', { id: copy.id })}</DetailsHead>
      <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
      <Damage copy={copy} />
      <FailedProof connectionId={connectionId} copy={copy} />
      <Tabs label={words.tabs.label} tabs={tabs} current={tab} onChange={setTab}>
        {tab === 'facts' && <CopyFacts copy={copy} />}
        {tab === 'chain' && <CopyChain connectionId={connectionId} copy={copy} />}
        {tab === 'files' && <FileTree connectionId={connectionId} copy={copy} key={copy.id} />}
      </Tabs>
    </section>
  );
}

function Damage(props: { readonly copy: Copy }) {
  const damage = props.copy.damage ?? [];
  if (damage.length === 0) return null;
  return (
    <ul className="lines">
      {damage.slice(0, 20).map((finding) => (
        <li key={`${finding.item} ${finding.message}`} style={{ alignItems: 'flex-start' }}>
          <StatusBadge
            meaning={finding.severity === 'error' ? 'error' : 'warning'}
            word={showHidden(wordFor(words.severities, finding.severity))}
          />
          <span className="selectable" style={{ overflowWrap: 'anywhere' }}>
            <Capped>
              <strong className="mono">{showHidden(finding.item)}</strong>: {showHidden(finding.message)}{' '}
              {showHidden(finding.next_step)}
            </Capped>
          </span>
        </li>
      ))}
      {damage.length > 20 && <li className="muted">{t('copies.andMore', { rest: damage.length - 20 })}</li>}
    </ul>
  );
}

function FailedProof(props: { readonly connectionId: string; readonly copy: Copy }) {
  const failure = props.copy.proof_failure ?? null;
  if (failure === null) return null;
  const taskId = failure.task_id;
  return (
    <div className="banner banner-error" role="alert">
      <span className="selectable" style={{ overflowWrap: 'anywhere' }}>
        <Capped>{t('copies.proof.failed', { reason: failureText(props.copy) ?? '' })}</Capped>
      </span>
      {taskId !== null && (
        <Button
          label={t('copies.proof.showTaskOf', { id: taskId })}
          onClick={() => showIn(props.connectionId, 'Tasks', taskId)}
        >
          {words.proof.showTask}
        </Button>
      )}
    </div>
  );
}

const sizeText = (bytes: number): string => `${formatBytes(bytes)} (${formatExactBytes(bytes)})`;

function CopyFacts(props: { readonly copy: Copy }) {
  const { copy } = props;
  return (
    <Facts
      facts={[
        [
          words.columns.resource,
          <span key="resource" className="mono">
            {showHidden(copy.resource)}
          </span>,
        ],
        [common.client, showHidden(copy.client)],
        [common.type, showHidden(kindWord(copy.backup_type))],
        [common.size, sizeText(copy.size)],
        [words.columns.stored, sizeText(copy.real_size)],
        [words.facts.files, formatCount(copy.files_count)],
        [words.facts.skipped, formatCount(copy.skipped_items)],
        [common.created, serverTime(copy.created)],
        [words.columns.proven, provenText(copy) ?? common.never],
        [words.columns.keepUntil, copy.store_until === null ? common.forever : serverTime(copy.store_until)],
        [words.facts.encryption, copy.crypto === 'nocrypt' ? common.none : showHidden(copy.crypto)],
        [common.pool, copy.pool === null ? null : showHidden(copy.pool)],
        [
          words.facts.buildsOn,
          copy.reference_id === null ? words.facts.whole : t('copies.copy', { id: copy.reference_id }),
        ],
        [
          words.facts.chain,
          copy.chain_id === null ? null : t('copies.facts.beginsWith', { id: copy.chain_id }),
        ],
        [common.description, copy.description === null ? null : showHidden(copy.description)],
        [
          words.facts.folder,
          copy.path === null ? null : (
            <span key="path" className="mono">
              {showHidden(copy.path)}
            </span>
          ),
        ],
      ]}
    />
  );
}
