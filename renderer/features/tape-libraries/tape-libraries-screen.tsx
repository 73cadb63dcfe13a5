import { useState } from 'react';
import { useExtension } from '../../shell/rights.ts';
import { t } from '../../texts/index.ts';
import { Tabs } from '../../ui/index.ts';
import { BoardScreen } from './board-screen.tsx';
import { CartridgesView } from './cartridges-view.tsx';
import { LibrariesView } from './libraries-view.tsx';
import { VirtualView } from './virtual-view.tsx';
import './tape.css';

/** Libraries, what stands in their places, their cartridges, and simulated libraries for a fire drill. */
export function TapeLibrariesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const hasCartridges = useExtension(connectionId, 'cartridges');
  const hasVirtual = useExtension(connectionId, 'virtual_libraries');
  const [view, setView] = useState('libraries');
  const [libraryId, setLibraryId] = useState<number | null>(null);
  const openBoard = (id: number) => {
    setLibraryId(id);
    setView('board');
  };
  const libraries = <LibrariesView connectionId={connectionId} onBoard={hasCartridges ? openBoard : null} />;
  if (!hasCartridges) return libraries;
  const tabs = [
    { id: 'libraries', label: t('tapeLibraries.tabs.libraries') },
    { id: 'board', label: t('tapeLibraries.tabs.board') },
    { id: 'cartridges', label: t('tapeLibraries.tabs.cartridges') },
    ...(hasVirtual ? [{ id: 'virtual', label: t('tapeLibraries.tabs.virtual') }] : []),
  ];
  return (
    <div className="tabbed-screen">
      <Tabs label={t('tapeLibraries.tabs.name')} tabs={tabs} current={view} onChange={setView}>
        {view === 'libraries' && libraries}
        {view === 'board' && (
          <BoardScreen connectionId={connectionId} libraryId={libraryId} onChoose={setLibraryId} />
        )}
        {view === 'cartridges' && <CartridgesView connectionId={connectionId} />}
        {view === 'virtual' && <VirtualView connectionId={connectionId} />}
      </Tabs>
    </div>
  );
}
