import { textsOf, wordFor } from '../../texts/index.ts';
import { type Column, formatBytes, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const words = textsOf('storages');
const common = textsOf('common');

/** Columns of every kind of place that holds copies of a pool: folders, and whole devices. */
export const statusColumn: Column<{ readonly status: string }> = {
  id: 'status',
  header: common.status,
  widthPx: 110,
  cell: ({ status }) => (
    <StatusBadge
      meaning={status === 'Online' ? 'ok' : 'error'}
      word={showHidden(wordFor(words.statuses, status))}
    />
  ),
};

export const poolColumn: Column<{ readonly pool: string }> = {
  id: 'pool',
  header: common.pool,
  widthPx: 150,
  cell: ({ pool }) => showHidden(pool),
};

export const mediaServerColumn: Column<{ readonly media_server: string }> = {
  id: 'media_server',
  header: words.columns.mediaServer,
  widthPx: 150,
  cell: ({ media_server }) => showHidden(media_server),
};

export const descriptionColumn: Column<{ readonly description: string | null }> = {
  id: 'description',
  header: common.description,
  widthPx: 200,
  cell: ({ description }) => showHidden(description ?? thinDash),
};

export function bytesColumn<K extends string>(
  id: K,
  header: string,
): Column<{ readonly [name in K]: number | null }> {
  return { id, header, widthPx: 96, align: 'right', cell: (place) => formatBytes(place[id]) };
}
