import type { ReactNode } from 'react';
import type { Column, ListStore } from '../ui/index.ts';
import { ListScreen } from './list-screen.tsx';
import { NewButton } from './new-button.tsx';
import { ResourceActions, type ResourceActionsProps } from './resource-actions.tsx';
import { tellFailure } from './tell.ts';

export interface ResourceScreenProps<R extends { readonly id: number }> {
  readonly connectionId: string;
  readonly list: ListStore<R>;
  readonly columns: readonly Column<R>[];
  readonly title: string;
  readonly empty: string;
  readonly actionsLabel: string;
  /** The rights to change and delete are those of it: `pools` has `pools.write` and `pools.delete`. */
  readonly area: string;
  readonly object: ResourceActionsProps<R>['object'];
  readonly nameOf: (row: R) => string;
  /** The button that makes a new one, and its dialog. */
  readonly create?: { readonly label: string; readonly open: () => Promise<void> };
  /** The dialog that changes one. What keeps it from opening is told. */
  readonly edit?: (row: R) => Promise<void>;
  readonly remove: (ids: number[]) => Promise<unknown>;
  /** What goes with them or stays, asked when the dialog opens. */
  readonly consequences?: (rows: readonly R[]) => Promise<readonly string[]>;
  /** Actions before those of all lists. */
  readonly more?: () => ReactNode;
  readonly details: (row: R) => ReactNode;
}

/** A list whose objects are made, changed and deleted by dialogs: what most screens of resources are. */
export function ResourceScreen<R extends { readonly id: number }>(props: ResourceScreenProps<R>) {
  const { connectionId, list, area, create, edit, consequences, more } = props;
  return (
    <ListScreen
      title={props.title}
      list={list}
      columns={props.columns}
      empty={props.empty}
      newAction={
        create !== undefined && (
          <NewButton
            connectionId={connectionId}
            permission={`${area}.write`}
            label={create.label}
            open={create.open}
          />
        )
      }
      actionsLabel={props.actionsLabel}
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          object={props.object}
          nameOf={props.nameOf}
          {...(more === undefined ? {} : { more })}
          {...(edit === undefined
            ? {}
            : { edit: { permission: `${area}.write`, open: (row: R) => tellFailure(edit(row)) } })}
          remove={{
            permission: `${area}.delete`,
            run: props.remove,
            ...(consequences === undefined ? {} : { consequences }),
          }}
        />
      }
      details={props.details}
    />
  );
}
