import type { NewsPlace } from '../../contract/desktop/news.ts';
import { t } from '../texts/index.ts';
import { goTo, type Place, showNotice } from './shell-store.ts';
import { type ListWish, refreshList, selectInList } from './use-list.ts';

export { tellFailure } from './tell-failure.ts';

/** Says that work has begun, with the way to its task. */
export function tellTask(connectionId: string, message: string, taskId: number): void {
  refreshList(connectionId, 'Tasks');
  showNotice({
    level: 'info',
    message,
    action: { label: t('shell.showTask'), run: () => showIn(connectionId, 'Tasks', taskId) },
  });
}

/** Goes to the list of a section, with this object selected. */
export function showIn(connectionId: string, section: string, id: number): void {
  showList(connectionId, section, { id });
}

/** Goes to the list of a section, narrowed to what is wished. */
export function showList(connectionId: string, section: string, wish: ListWish): void {
  selectInList(connectionId, section, wish);
  goTo({ connectionId, section });
}

/** Goes to what main names: an object of a section, or its list narrowed by a status. */
export function showPlace({ connectionId, section, id, status }: NewsPlace): void {
  if (id === null && status === null) {
    goTo({ connectionId, section });
    return;
  }
  const filters: Readonly<Record<string, string>> = status === null ? {} : { status };
  showList(connectionId, section, id === null ? { filters } : { id, filters });
}

/** As `showList`, for sections that are no list. */
export function showFound(connectionId: string, section: string, wish: NonNullable<Place['wish']>): void {
  goTo({ connectionId, section, wish });
}
