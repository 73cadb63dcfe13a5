import { openDialog } from '../../shell/shell-store.ts';
import { refreshList } from '../../shell/use-list.ts';
import { AddLibraryDialog } from './add-library-dialog.tsx';
import type { Source } from './add-library-source.tsx';

/** `source`: where the dialog looks first; a person can choose another one. */
export async function openAddLibrary(connectionId: string, source: Source = 'scan'): Promise<void> {
  const onAdded = () => {
    for (const list of ['Tape libraries', 'Cartridges', 'Virtual libraries']) refreshList(connectionId, list);
  };
  openDialog({
    kind: 'own',
    draw: (close) => (
      <AddLibraryDialog connectionId={connectionId} source={source} onAdded={onAdded} onClose={close} />
    ),
  });
}
