import { useState } from 'react';
import { useStore } from 'zustand';
import { useExtension } from '../../shell/rights.ts';
import { openObject, shell } from '../../shell/shell-store.ts';
import { useShownView } from '../../shell/shown-view.ts';
import { Views } from '../../shell/tabbed-screen.tsx';
import { t } from '../../texts/index.ts';
import { BoardScreen } from './board-screen.tsx';
import { CartridgesView } from './cartridges-view.tsx';
import { LibrariesView } from './libraries-view.tsx';
import { VirtualView } from './virtual-view.tsx';
import './tape.css';

const board = 'board';

/** Libraries, what stands in their places, their cartridges, and simulated libraries for a fire drill. */
export function TapeLibrariesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const hasCartridges = useExtension(connectionId, 'cartridges');
  const hasVirtual = useExtension(connectionId, 'virtual_libraries');
  const [view, setView] = useShownView('libraries');
  // The board is the page of a library: it has the library's address.
  const named = useStore(shell, ({ place: { object } }) => (object?.view === board ? object.id : null));
  const [libraryId, setLibraryId] = useState<number | null>(null);
  // Another look at the board shows the same one.
  if (typeof named === 'number' && named !== libraryId) setLibraryId(named);
  const openBoard = (id: number) => openObject({ list: 'Tape libraries', id, view: board });
  const libraries = <LibrariesView connectionId={connectionId} onBoard={hasCartridges ? openBoard : null} />;
  if (!hasCartridges) return libraries;
  const views = [
    { id: 'libraries', label: t('tapeLibraries.tabs.libraries'), draw: () => libraries },
    {
      id: board,
      label: t('tapeLibraries.tabs.board'),
      draw: () => <BoardScreen connectionId={connectionId} libraryId={libraryId} onChoose={openBoard} />,
    },
    {
      id: 'cartridges',
      label: t('tapeLibraries.tabs.cartridges'),
      draw: () => <CartridgesView connectionId={connectionId} />,
    },
    {
      id: 'virtual',
      label: t('tapeLibraries.tabs.virtual'),
      draw: () => <VirtualView connectionId={connectionId} />,
    },
  ].filter(({ id }) => hasVirtual || id !== 'virtual');
  return <Views label={t('tapeLibraries.tabs.name')} views={views} current={view} onChange={setView} />;
}
