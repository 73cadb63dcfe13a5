import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { type Copy, copyStatuses } from '../../../contract/repository/copy.ts';
import { call, problemOf } from '../../bridge.ts';
import { verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { Filter, withFilter } from '../../shell/filter.tsx';
import { KindMark } from '../../shell/kind-mark.tsx';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { showIn, tellFailure, tellTask } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import {
  Button,
  type Column,
  counted,
  cutMiddle,
  formatBytes,
  formatCount,
  type ListStore,
  StatusBadge,
  showHidden,
  Tabs,
  thinDash,
} from '../../ui/index.ts';
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

const columns: readonly Column<Copy>[] = [
  {
    id: 'resource',
    header: 'Resource',
    widthPx: 300,
    cell: (copy) => cutMiddle(showHidden(copy.resource), 64),
    title: (copy) => showHidden(copy.resource),
  },
  {
    id: 'status',
    header: 'Verification',
    widthPx: 120,
    cell: (copy) => (
      <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
    ),
  },
  { id: 'backup_type', header: 'Type', widthPx: 110, cell: (copy) => <KindMark kind={copy.backup_type} /> },
  {
    id: 'size',
    header: 'Size',
    widthPx: 96,
    align: 'right',
    cell: (copy) => formatBytes(copy.size),
    title: (copy) => `${copy.size} bytes`,
  },
  {
    id: 'real_size',
    header: 'Stored',
    widthPx: 96,
    align: 'right',
    cell: (copy) => formatBytes(copy.real_size),
    title: (copy) => `${copy.real_size} bytes`,
  },
  { id: 'created', header: 'Created', widthPx: 172, cell: (copy) => serverTime(copy.created) },
  {
    id: 'proven',
    header: 'Last proven restorable',
    widthPx: 180,
    cell: (copy) => <ProvenCell copy={copy} />,
    title: (copy) => failureText(copy) ?? provenText(copy) ?? undefined,
  },
  {
    id: 'store_until',
    header: 'Keep until',
    widthPx: 172,
    cell: (copy) => (copy.store_until === null ? 'forever' : serverTime(copy.store_until)),
  },
  {
    id: 'client',
    header: 'Client',
    widthPx: 200,
    cell: (copy) => showHidden(copy.client),
    title: (copy) => showHidden(copy.client),
  },
  { id: 'pool', header: 'Pool', widthPx: 110, cell: (copy) => showHidden(copy.pool ?? thinDash) },
  {
    id: 'reference_id',
    header: 'Reference',
    widthPx: 90,
    align: 'right',
    cell: (copy) => copy.reference_id ?? thinDash,
  },
  { id: 'id', header: 'Id', widthPx: 64, align: 'right', cell: (copy) => copy.id },
];

const views = [
  { id: 'list', label: 'List' },
  { id: 'retention', label: 'Retention' },
] as const;

/** The copies that are there, and what will be there of them. */
export function CopiesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [view, setView] = useState<string>('list');
  const isForeseen = useExtension(connectionId, 'retention_preview');
  if (!isForeseen) return <CopyList connectionId={connectionId} />;
  return (
    <div className="tabbed-screen">
      <Tabs label="Views of the copies" tabs={views} current={view} onChange={setView}>
        {view === 'retention' ? (
          <RetentionScreen connectionId={connectionId} />
        ) : (
          <CopyList connectionId={connectionId} />
        )}
      </Tabs>
    </div>
  );
}

function CopyList(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const { query } = useStore(list.store);
  const reasonFor = useRights(connectionId);
  const newBackup = (
    <Button
      kind="primary"
      onClick={() => openDialog({ kind: 'newBackup', connectionId })}
      disabledBecause={reasonFor('task_queue.write')}
    >
      <Plus size={16} aria-hidden />
      New backup
    </Button>
  );
  return (
    <ListScreen
      title="Copies"
      list={list}
      columns={columns}
      empty="There is no copy yet. A backup makes the first one."
      newAction={newBackup}
      filters={
        <Filter
          label="Verification"
          all="Any verification"
          value={query.filters.status}
          choices={copyStatuses.map((status) => [status, verificationWord(status)])}
          onChange={(status) => list.setQuery({ filters: withFilter(query.filters, { status }) })}
        />
      }
      actionsLabel="Copy actions"
      actions={<CopyActions connectionId={connectionId} list={list} />}
      details={(copy) => <CopyDetails connectionId={connectionId} copy={copy} />}
      onOpen={(copy) => openDialog({ kind: 'restore', connectionId, copy })}
    />
  );
}

function CopyActions(props: { readonly connectionId: string; readonly list: ListStore<Copy> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const copies = list.selectedRows();
  const [only] = copies;
  const none = copies.length === 0 ? 'Select a copy first' : null;
  const notOne = copies.length === 1 ? null : 'Select one copy';
  return (
    <>
      <Button
        onClick={() => tellFailure(verify(connectionId, copies))}
        disabledBecause={none ?? reasonFor('repository.verify')}
      >
        Verify
      </Button>
      <Button
        onClick={() => only !== undefined && openDialog({ kind: 'restore', connectionId, copy: only })}
        disabledBecause={notOne ?? reasonFor('repository.restore')}
      >
        Restore…
      </Button>
      <Button
        onClick={() => only !== undefined && openDialog({ kind: 'keepUntil', connectionId, copy: only })}
        disabledBecause={notOne ?? reasonFor('repository.write')}
      >
        Keep until…
      </Button>
      <Button
        onClick={() => openDialog({ kind: 'removeCopies', connectionId, copies })}
        disabledBecause={none ?? reasonFor('repository.delete')}
      >
        Delete…
      </Button>
    </>
  );
}

/** Each for itself: one that is refused does not keep the others from being verified. */
async function verify(connectionId: string, copies: readonly Copy[]): Promise<void> {
  const refused: string[] = [];
  let last: number | null = null;
  for (const copy of copies) {
    try {
      const answer = await call(connectionId, 'repository.verify', { params: { id: copy.id } });
      last = answer.task_id;
    } catch (error) {
      refused.push(`Copy ${copy.id}: ${problemOf(error).message}`);
    }
  }
  if (last !== null) {
    const begun = copies.length - refused.length;
    tellTask(connectionId, `${counted(begun, 'copy', 'copies')} will be read and compared.`, last);
  }
  if (refused.length > 0) {
    const head = `${refused.length} of ${copies.length} cannot be verified.`;
    showNotice({ level: 'error', message: `${head} ${refused.slice(0, 3).join(' ')}` });
  }
}

const tabs = [
  { id: 'facts', label: 'Facts' },
  { id: 'chain', label: 'Chain' },
  { id: 'files', label: 'Files' },
] as const;

function CopyDetails(props: { readonly connectionId: string; readonly copy: Copy }) {
  const { connectionId, copy } = props;
  const [tab, setTab] = useState<string>('facts');
  return (
    <section
      aria-label="Copy details"
      style={{ display: 'flex', flexDirection: 'column', gap: 12, flex: 1, minHeight: 0 }}
    >
      <div className="details-head">
        <h2>Copy {copy.id}</h2>
      </div>
      <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
      <Damage copy={copy} />
      <FailedProof connectionId={connectionId} copy={copy} />
      <Tabs label="Copy" tabs={tabs} current={tab} onChange={setTab}>
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
          <StatusBadge meaning={finding.severity === 'error' ? 'error' : 'warning'} word={finding.severity} />
          <span className="selectable" style={{ overflowWrap: 'anywhere' }}>
            <strong className="mono">{showHidden(finding.item)}</strong>: {showHidden(finding.message)}{' '}
            {showHidden(finding.next_step)}
          </span>
        </li>
      ))}
      {damage.length > 20 && <li className="muted">and {damage.length - 20} more</li>}
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
        Not proven restorable: {failureText(props.copy)}
      </span>
      {taskId !== null && (
        <Button label={`Show task ${taskId}`} onClick={() => showIn(props.connectionId, 'Tasks', taskId)}>
          Show task
        </Button>
      )}
    </div>
  );
}

function CopyFacts(props: { readonly copy: Copy }) {
  const { copy } = props;
  return (
    <Facts
      facts={[
        [
          'Resource',
          <span key="resource" className="mono">
            {showHidden(copy.resource)}
          </span>,
        ],
        ['Client', showHidden(copy.client)],
        ['Type', showHidden(copy.backup_type)],
        ['Size', `${formatBytes(copy.size)} (${formatCount(copy.size)} bytes)`],
        ['Stored', `${formatBytes(copy.real_size)} (${formatCount(copy.real_size)} bytes)`],
        ['Files', formatCount(copy.files_count)],
        ['Skipped items', formatCount(copy.skipped_items)],
        ['Created', serverTime(copy.created)],
        ['Last proven restorable', provenText(copy) ?? 'never'],
        ['Keep until', copy.store_until === null ? 'forever' : serverTime(copy.store_until)],
        ['Encryption', copy.crypto === 'nocrypt' ? 'none' : showHidden(copy.crypto)],
        ['Pool', copy.pool === null ? null : showHidden(copy.pool)],
        ['Builds on', copy.reference_id === null ? 'nothing, it is whole' : `copy ${copy.reference_id}`],
        ['Chain', copy.chain_id === null ? null : `begins with copy ${copy.chain_id}`],
        ['Description', copy.description === null ? null : showHidden(copy.description)],
        [
          'Folder',
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
