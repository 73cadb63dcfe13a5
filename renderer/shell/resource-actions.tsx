import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { t, textsOf } from '../texts/index.ts';
import { Button, type ListStore } from '../ui/index.ts';
import { removeRows } from './remove-rows.ts';
import { useRights } from './rights.ts';
import { openDialog } from './shell-store.ts';

export interface ResourceActionsProps<R extends { readonly id: number }> {
  readonly connectionId: string;
  readonly list: ListStore<R>;
  /** What the list is of: for the dialog's title and the reasons of buttons that cannot be used. */
  readonly object: keyof typeof objects;
  readonly nameOf: (row: R) => string;
  readonly edit?: { readonly permission: string; readonly open: (row: R) => void };
  readonly remove: {
    readonly permission: string;
    readonly run: (ids: number[]) => Promise<unknown>;
    /** What goes with them, asked when the dialog opens. */
    readonly consequences?: (rows: readonly R[]) => Promise<readonly string[]>;
  };
  /** Further actions for the one selected row. */
  readonly more?: (only: R | undefined) => ReactNode;
}

const { objects } = textsOf('shell');

/** The actions that most lists have: edit the selected object, delete the selected ones. */
export function ResourceActions<R extends { readonly id: number }>(props: ResourceActionsProps<R>) {
  const { list, edit, remove, nameOf } = props;
  const words = objects[props.object];
  useStore(list.store);
  const reasonFor = useRights(props.connectionId);
  const rows = list.selectedRows();
  const only = rows.length === 1 ? rows[0] : undefined;
  const consequences = remove.consequences;
  const openRemove = () =>
    openDialog({
      kind: 'remove',
      title: words.remove,
      removal: {
        items: rows.map(nameOf),
        ...(consequences === undefined ? {} : { consequences: () => consequences(rows) }),
        remove: removeRows({
          rows,
          nameOf,
          forget: async (ids) => {
            list.forget(ids);
            await list.refresh();
          },
          remove: remove.run,
        }),
      },
    });
  return (
    <>
      {props.more?.(only)}
      {edit !== undefined && (
        <Button
          onClick={() => only !== undefined && edit.open(only)}
          disabledBecause={(only === undefined ? words.selectOne : null) ?? reasonFor(edit.permission)}
        >
          {t('common.edit')}
        </Button>
      )}
      <Button
        onClick={openRemove}
        disabledBecause={(rows.length === 0 ? words.selectFirst : null) ?? reasonFor(remove.permission)}
      >
        {t('common.deleteAsk')}
      </Button>
    </>
  );
}
