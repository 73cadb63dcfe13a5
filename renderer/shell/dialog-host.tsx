import { useStore } from 'zustand';
import { AddConnectionDialog } from '../features/connections/add-connection-dialog.tsx';
import { OpenBundleDialog, SaveBundleDialog } from '../features/connections/bundle-dialogs.tsx';
import { ExportConnectionsDialog } from '../features/connections/export-dialog.tsx';
import { ImportConnectionsDialog } from '../features/connections/import-dialog.tsx';
import { SignInDialog } from '../features/connections/sign-in-dialog.tsx';
import { KeepUntilDialog } from '../features/copies/keep-until-dialog.tsx';
import { RemoveCopiesDialog } from '../features/copies/remove-copies-dialog.tsx';
import { RestoreDialog } from '../features/copies/restore-dialog.tsx';
import { CopyCatalogueDialog } from '../features/local-backend/copy-catalogue-dialog.tsx';
import { NewBackupDialog } from '../features/tasks/new-backup-dialog.tsx';
import { AboutDialog } from './about-dialog.tsx';
import { FormDialog } from './form-dialog.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { Palette } from './palette.tsx';
import { PreferencesDialog } from './preferences-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { RightsDialog } from './rights-dialog.tsx';
import { ServerZone } from './server-time.tsx';
import { openDialog, shell } from './shell-store.ts';

/** The one place where dialogs are drawn. */
export function DialogHost() {
  const dialog = useStore(shell, (state) => state.dialog);
  // Dialogs about objects belong to the connection that is shown.
  const zone = useStore(
    shell,
    ({ connections, place }) => connections.find(({ id }) => id === place.connectionId)?.zone ?? '',
  );
  if (dialog === null) return null;
  return <ServerZone.Provider value={zone}>{drawn(dialog)}</ServerZone.Provider>;
}

function drawn(dialog: OpenDialog) {
  const close = () => openDialog(null);
  switch (dialog.kind) {
    case 'addConnection':
      return <AddConnectionDialog onClose={close} />;
    case 'importConnections':
      return <ImportConnectionsDialog onClose={close} />;
    case 'exportConnections':
      return <ExportConnectionsDialog onClose={close} />;
    case 'openBundle':
      return <OpenBundleDialog onClose={close} />;
    case 'saveBundle':
      return <SaveBundleDialog connectionId={dialog.connectionId} onClose={close} />;
    case 'signIn':
      return <SignInDialog connectionId={dialog.connectionId} onClose={close} />;
    case 'rights':
      return <RightsDialog connectionId={dialog.connectionId} onClose={close} />;
    case 'copyCatalogue':
      return <CopyCatalogueDialog connectionId={dialog.connectionId} onClose={close} />;
    case 'newBackup':
      return <NewBackupDialog connectionId={dialog.connectionId} client={dialog.client} onClose={close} />;
    case 'restore':
      return <RestoreDialog connectionId={dialog.connectionId} copy={dialog.copy} onClose={close} />;
    case 'keepUntil':
      return <KeepUntilDialog connectionId={dialog.connectionId} copy={dialog.copy} onClose={close} />;
    case 'removeCopies':
      return <RemoveCopiesDialog connectionId={dialog.connectionId} copies={dialog.copies} onClose={close} />;
    case 'remove':
      return <RemoveDialog title={dialog.title} removal={dialog.removal} onClose={close} />;
    case 'form':
      return <FormDialog form={dialog.form} onClose={close} />;
    case 'own':
      return dialog.draw(close);
    case 'palette':
      return <Palette onClose={close} />;
    case 'preferences':
      return <PreferencesDialog onClose={close} />;
    case 'about':
      return <AboutDialog onClose={close} />;
    case 'keys':
      return <KeysDialog onClose={close} />;
  }
}
