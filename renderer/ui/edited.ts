import { createContext, type FormEvent, useContext, useState } from 'react';

/** Told when a person changes something in a dialog by a way that no field tells of: a key of a tree, a chosen file. */
export const Edited = createContext<() => void>(() => undefined);

export const useEdited = (): (() => void) => useContext(Edited);

/** Whether a person changed a field inside. A search changes nothing, and neither does what a server answers. */
export function useWatch() {
  const [isEdited, setEdited] = useState(false);
  /** Somebody wished to leave and was told that this loses something. */
  const [isAsked, setAsked] = useState(false);
  const edited = () => {
    setEdited(true);
    setAsked(false);
  };
  const onChange = ({ target }: FormEvent) => {
    const isSearch = target instanceof HTMLInputElement && target.type === 'search';
    if (!isSearch) edited();
  };
  return { isEdited, isAsked, setAsked, edited, onChange };
}
