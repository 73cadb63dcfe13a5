import { X } from 'lucide-react';
import { useStore } from 'zustand';
import { command } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { Button, MeaningIcon, showHidden } from '../ui/index.ts';
import { dismissNotice, shell, type WindowNotice } from './shell-store.ts';

const meanings = { info: 'ok', warning: 'warning', error: 'error' } as const;

export function NoticeList() {
  const notices = useStore(shell, (state) => state.notices);
  return (
    <div className="notices">
      {notices.map((notice) => (
        <Line key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Line(props: { readonly notice: WindowNotice }) {
  const { notice } = props;
  const dismiss = () => {
    dismissNotice(notice.id);
    command('notices.dismiss', { id: notice.id }).catch(() => undefined);
  };
  const { action } = notice;
  return (
    <div className="notice" role={notice.level === 'error' ? 'alert' : 'status'}>
      <MeaningIcon meaning={meanings[notice.level]} size={16} />
      <span className="selectable">{showHidden(notice.message)}</span>
      {action !== undefined && (
        <Button
          kind="quiet"
          onClick={() => {
            action.run();
            dismiss();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" label={t('notices.dismiss')} onClick={dismiss}>
        <X size={14} aria-hidden />
      </Button>
    </div>
  );
}
