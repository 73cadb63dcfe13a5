import { useState } from 'react';
import { call } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { showNotice } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Dialog, formatBytes, showHidden, TextField } from '../../ui/index.ts';

const words = textsOf('localBackend');

/** Where the copy of the catalogue goes. */
export function CopyCatalogueDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const [folder, setFolder] = useState('');
  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      const copy = await call(props.connectionId, 'catalogueCopy.create', {
        body: { folder: folder.trim() },
      });
      const path = copy.path ?? folder;
      showNotice({
        level: 'info',
        message:
          copy.status === 'done'
            ? t('localBackend.copyDone', { path, size: formatBytes(copy.size) })
            : t('localBackend.copyRunning', { path }),
      });
    },
    props.onClose,
    ['folder'],
  );
  return (
    <Dialog
      title={words.copyTitle}
      submitLabel={words.copySubmit}
      onSubmit={submit}
      onClose={props.onClose}
      isBusy={isBusy}
      problem={problem}
      summary={
        folder.trim() === ''
          ? words.copyTodo
          : t('localBackend.copySummary', { folder: showHidden(folder.trim()) })
      }
    >
      <TextField
        label={words.copyFolder}
        value={folder}
        onChange={setFolder}
        error={errors.folder}
        mono
        autoFocus
        beside={<BrowseButton of="folder" title={words.copyPick} from={folder} onPick={setFolder} />}
      />
    </Dialog>
  );
}
