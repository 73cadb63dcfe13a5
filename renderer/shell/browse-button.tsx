import { command } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { Button, useEdited } from '../ui/index.ts';
import { tellFailure } from './tell-failure.ts';

/** Beside a field that takes a path: the system's own dialog fills it in. */
export function BrowseButton(props: {
  readonly of: 'folder' | 'file';
  /** Of the system's dialog. */
  readonly title: string;
  /** What the field holds; a search for a folder begins there. */
  readonly from?: string;
  readonly onPick: (path: string) => void;
}) {
  const { of, title, from = '', onPick } = props;
  const edited = useEdited();
  const pick = async () => {
    const path =
      of === 'file'
        ? await command('dialog.pickFile', { title })
        : await command('dialog.pickFolder', { title, ...(from === '' ? {} : { defaultPath: from }) });
    if (path === null) return;
    edited();
    onPick(path);
  };
  return <Button onClick={() => tellFailure(pick())}>{t('common.browse')}</Button>;
}
