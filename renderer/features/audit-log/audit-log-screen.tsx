import type { AuditRecord } from '../../../contract/audit/audit-log.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { type Column, type Meaning, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const source: ListSource<AuditRecord> = {
  name: 'Audit log',
  kinds: [],
  pollMs: 30_000,
  idOf: (record) => record.id,
  load: (connectionId, request, signal) => call(connectionId, 'auditLog.list', listInput(request), signal),
  initial: { sort: { field: 'id', order: 'desc' } },
};

interface Result {
  readonly meaning: Meaning;
  readonly word: string;
}

/** What a status of HTTP means to a person. */
function resultOf(status: number): Result {
  if (status < 300) return { meaning: 'ok', word: status === 207 ? 'partly done' : 'done' };
  if (status === 401) return { meaning: 'error', word: 'not let in' };
  if (status === 403) return { meaning: 'error', word: 'no right' };
  return status >= 500 ? { meaning: 'error', word: 'failed' } : { meaning: 'warning', word: 'refused' };
}

const columns: readonly Column<AuditRecord>[] = [
  { id: 'time', header: 'Time', widthPx: 170, cell: (record) => serverTime(record.time) },
  {
    id: 'user_name',
    header: 'User',
    widthPx: 150,
    cell: (record) => showHidden(record.user_name ?? thinDash),
  },
  {
    id: 'action',
    header: 'Action',
    widthPx: 210,
    cell: (record) => <span className="mono">{showHidden(record.action)}</span>,
  },
  {
    id: 'object_id',
    header: 'Object',
    widthPx: 80,
    align: 'right',
    cell: (record) => record.object_id ?? thinDash,
  },
  {
    id: 'status',
    header: 'Result',
    widthPx: 120,
    cell: (record) => <StatusBadge {...resultOf(record.status)} />,
  },
  { id: 'address', header: 'From', widthPx: 130, cell: (record) => showHidden(record.address ?? thinDash) },
  {
    id: 'details',
    header: 'Details',
    widthPx: 320,
    cell: (record) => showHidden(record.details ?? thinDash),
    title: (record) => showHidden(record.details ?? ''),
  },
];

export function AuditLogScreen(props: { readonly connectionId: string }) {
  const list = useList(props.connectionId, source);
  return (
    <ListScreen
      title="Audit log"
      list={list}
      columns={columns}
      empty="Nothing has been recorded yet."
      actionsLabel="Audit log actions"
      actions={null}
      details={(record) => (
        <section aria-label="Record details" className="page-section">
          <div className="details-head">
            <h2 className="mono">{showHidden(record.action)}</h2>
          </div>
          <Facts
            facts={[
              ['Time', serverTime(record.time)],
              ['User', record.user_name === null ? null : showHidden(record.user_name)],
              ['From', record.address === null ? null : showHidden(record.address)],
              ['Object', record.object_id === null ? null : String(record.object_id)],
              ['Result', `${resultOf(record.status).word} (${record.status})`],
              ['Details', record.details === null ? null : showHidden(record.details)],
            ]}
          />
        </section>
      )}
    />
  );
}
