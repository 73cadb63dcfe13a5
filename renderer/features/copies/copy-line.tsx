import type { ReactNode } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { KindMark } from '../../shell/kind-mark.tsx';
import { ServerTime } from '../../shell/server-time.tsx';
import { t } from '../../texts/index.ts';

/** Which copy of a list in a dialog: kind, number and time, and at the end of the line what is said of it. */
export function CopyLine(props: {
  readonly copy: Pick<Copy, 'backup_type' | 'id' | 'created'>;
  readonly children: ReactNode;
}) {
  const { copy } = props;
  return (
    <span className="copy-line">
      <KindMark kind={copy.backup_type} />
      <span>{t('copies.copy', { id: copy.id })}</span>
      <span>
        <ServerTime text={copy.created} />
      </span>
      {props.children}
    </span>
  );
}
