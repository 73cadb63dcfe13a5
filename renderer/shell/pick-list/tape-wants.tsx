import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { t } from '../../texts/index.ts';
import { Button, MeaningIcon, showHidden } from '../../ui/index.ts';
import { PickListDialog } from './pick-list-dialog.tsx';
import { useWanted } from './use-wanted.ts';
import './pick-list.css';

const mostNamed = 5;

/** In the dialog of a restore: which cartridges the copy wants, and the way to the pick list. Nothing for other copies. */
export function TapeWants(props: { readonly connectionId: string; readonly copy: Copy }) {
  const { connectionId, copy } = props;
  const answer = useWanted(connectionId, copy);
  const [isOpen, setOpen] = useState(false);
  const plan = answer?.value?.plan;
  if (plan === undefined) return null;
  const { missing, lines } = plan;
  const isMissing = missing.length > 0 || lines.length === 0;
  const text = () => {
    if (lines.length === 0) return t('tapeBoard.pick.noneLeft');
    if (missing.length === 0) return t('tapeBoard.pick.onTape', { count: lines.length });
    const named = missing.slice(0, mostNamed).map(showHidden).join(', ');
    const barcodes = missing.length > mostNamed ? `${named} …` : named;
    const banner = t('tapeBoard.pick.banner', { count: missing.length, barcodes });
    return `${banner} ${t('tapeBoard.pick.waits', { count: missing.length })}`;
  };
  return (
    <div className={`banner tape-wants${isMissing ? ' banner-warning' : ''}`} role="status">
      <MeaningIcon meaning={isMissing ? 'warning' : 'ok'} size={16} />
      <span className="tape-wants-text">{text()}</span>
      <Button onClick={() => setOpen(true)}>{t('tapeBoard.pick.open')}</Button>
      {isOpen && <PickListDialog connectionId={connectionId} copy={copy} onClose={() => setOpen(false)} />}
    </div>
  );
}
