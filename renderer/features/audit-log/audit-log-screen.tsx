import type { AuditRecord } from '../../../contract/audit/audit-log.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { ListScreen } from '../../shell/list-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type Column, type Meaning, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const words = textsOf('auditLog');

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
  if (status < 300)
    return { meaning: 'ok', word: status === 207 ? words.results.partlyDone : words.results.done };
  if (status === 401) return { meaning: 'error', word: words.results.notLetIn };
  if (status === 403) return { meaning: 'error', word: words.results.noRight };
  return status >= 500
    ? { meaning: 'error', word: words.results.failed }
    : { meaning: 'warning', word: words.results.refused };
}

const columns: readonly Column<AuditRecord>[] = [
  { id: 'time', header: words.time, widthPx: 170, cell: (record) => serverTime(record.time) },
  {
    id: 'user_name',
    header: words.user,
    widthPx: 110,
    cell: (record) => showHidden(record.user_name ?? thinDash),
  },
  {
    id: 'action',
    header: words.action,
    widthPx: 220,
    cell: (record) => <span className="mono">{showHidden(record.action)}</span>,
    title: (record) => showHidden(record.action),
  },
  {
    id: 'status',
    header: words.result,
    widthPx: 120,
    cell: (record) => <StatusBadge {...resultOf(record.status)} />,
  },
  {
    id: 'object_id',
    header: words.object,
    widthPx: 80,
    align: 'right',
    cell: (record) => record.object_id ?? thinDash,
  },
  {
    id: 'address',
    header: words.from,
    widthPx: 130,
    cell: (record) => showHidden(record.address ?? thinDash),
  },
  {
    id: 'details',
    header: words.detailsColumn,
    widthPx: 320,
    cell: (record) => showHidden(record.details ?? thinDash),
    title: (record) => showHidden(record.details ?? ''),
  },
];

export function AuditLogScreen(props: { readonly connectionId: string }) {
  const list = useList(props.connectionId, source);
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.none}
      actionsLabel={words.actions}
      actions={null}
      details={(record) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead isMono>{showHidden(record.action)}</DetailsHead>
          <Facts
            facts={[
              [words.time, serverTime(record.time)],
              [words.user, record.user_name === null ? null : showHidden(record.user_name)],
              [words.from, record.address === null ? null : showHidden(record.address)],
              [words.object, record.object_id === null ? null : String(record.object_id)],
              [
                words.result,
                t('auditLog.resultAndStatus', {
                  result: resultOf(record.status).word,
                  status: record.status,
                }),
              ],
              [words.detailsColumn, record.details === null ? null : showHidden(record.details)],
            ]}
          />
        </section>
      )}
    />
  );
}
