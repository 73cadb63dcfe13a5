import { t } from '../texts/index.ts';
import { showNotice } from './shell-store.ts';

type Values = Readonly<Record<string, unknown>>;

/** Fields that a record, read again after a change, does not have as they were asked for. */
export function fieldsNotTaken(asked: Values, record: Values): readonly string[] {
  return Object.keys(asked).filter(
    (name) => name in record && comparable(asked[name]) !== comparable(record[name]),
  );
}

/** What a server ignored must not look saved: says which fields it keeps otherwise. */
export function tellNotTaken(
  what: string,
  labels: readonly { readonly name: string; readonly label: string }[],
  asked: Values,
  record: Values,
): void {
  const names = fieldsNotTaken(asked, record);
  if (names.length === 0) return;
  const kept = names.map((name) => {
    const label = labels.find((one) => one.name === name)?.label ?? name;
    return `${label} (${valueText(record[name])})`;
  });
  showNotice({
    level: 'warning',
    message: t('shell.notTaken', { what, fields: kept.join(', ') }),
  });
}

/**
 * Changes a record and reads it again: what the server says on a change may be what it was asked for. Its list is up to date
 * before anything is told.
 */
export async function saveChange<B extends Values>(change: {
  /** The record, as notices name it. */
  readonly what: string;
  readonly fields: Parameters<typeof tellNotTaken>[1];
  readonly body: B;
  readonly update: (body: B) => Promise<unknown>;
  readonly get: () => Promise<Values>;
  readonly refresh: () => Promise<unknown>;
}): Promise<void> {
  await change.update(change.body);
  const now = await change.get();
  await change.refresh();
  tellNotTaken(change.what, change.fields, change.body, now);
}

/** The order of a list of names means nothing. */
function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : value);
}

function valueText(value: unknown): string {
  return value === null || value === '' ? t('shell.emptyValue') : String(value);
}
