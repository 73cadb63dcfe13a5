import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { LocalBackendState } from '../../contract/desktop/local-backend.ts';
import { command } from '../bridge.ts';
import { t, textsOf } from '../texts/index.ts';
import { Button, type LogLine, LogView, showHidden } from '../ui/index.ts';
import { logLineOf } from './backend-log.ts';
import { copyText } from './keys.ts';
import { openDialog } from './shell-store.ts';

const words = textsOf('shell').backendTrouble;

/** Why the bundled backend does not run, and what can be done about it. */
export function BackendTrouble(props: {
  readonly state: LocalBackendState;
  readonly onRetry: () => void;
  /** Below the reason: what else there is to say of it. */
  readonly children?: ReactNode;
}) {
  const { state } = props;
  const lines = useLogTail(state.since);
  return (
    <section className="page-section" role="alert" style={{ width: 'min(820px, 100%)' }}>
      <h2 className="badge meaning-error">
        <CircleAlert size={20} aria-hidden />
        {words.title}
      </h2>
      <p className="selectable">{showHidden(state.reason ?? words.noReason)}</p>
      {props.children}
      <div className="toolbar-actions">
        <Button kind="primary" onClick={props.onRetry}>
          {t('common.retry')}
        </Button>
        <Button onClick={() => void command('localBackend.openLogs').catch(() => undefined)}>
          {words.openLogs}
        </Button>
        <Button onClick={() => openDialog({ kind: 'addConnection' })}>{words.remoteOnly}</Button>
      </div>
      <h3>{words.lastLines}</h3>
      {lines.length === 0 ? (
        <p className="muted">{t('ui.log.isEmpty')}</p>
      ) : (
        <div style={{ display: 'flex', flexDirection: 'column', height: 280 }}>
          <LogView label={words.lastLines} lines={lines} onCopy={copyText} />
        </div>
      )}
    </section>
  );
}

/** Read again whenever `since` changes. */
function useLogTail(since: number): readonly LogLine[] {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new phase means new lines
  useEffect(() => {
    command('localBackend.logTail').then(
      (texts) => setLines(texts.map((text, index) => logLineOf({ id: index + 1, text }))),
      () => setLines([]),
    );
  }, [since]);
  return lines;
}
