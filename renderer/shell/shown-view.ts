import { createContext, useContext, useState } from 'react';
import { useStore } from 'zustand';
import type { RowId } from '../ui/index.ts';
import { leaveObject, openObject, shell, showLists } from './shell-store.ts';

/** The view of its section in which a list stands; null where the section has one alone. */
export const ShownView = createContext<string | null>(null);

/** Which of the views of a section is shown: the one that a person chose, and the one that an object's address names. */
export function useShownView(first: string): readonly [string, (view: string) => void] {
  const named = useStore(shell, ({ place }) => place.object?.view);
  const [chosen, setChosen] = useState(named ?? first);
  const choose = (view: string) => {
    setChosen(view);
    showLists();
  };
  return [named ?? chosen, choose];
}

/** Of a list: whose details are shown in its place, and the ways there and back. */
export function useShownObject(list: string): {
  readonly id: RowId | null;
  readonly open: (id: RowId) => void;
  readonly leave: () => void;
} {
  const view = useContext(ShownView);
  const object = useStore(shell, ({ place }) => place.object);
  const isShown = object?.list === list && (object.view ?? null) === view;
  return {
    id: isShown ? object.id : null,
    open: (id) => openObject({ list, id, ...(view === null ? {} : { view }) }),
    leave: leaveObject,
  };
}
