import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { LocalBackendState } from '../../contract/desktop/local-backend.ts';
import { command } from '../bridge.ts';
import { Button, LogText, showHidden } from '../ui/index.ts';
import { openDialog } from './shell-store.ts';

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
        The backup server of this computer does not start
      </h2>
      <p className="selectable">{showHidden(state.reason ?? 'It ended without a reason.')}</p>
      {props.children}
      <div className="toolbar-actions">
        <Button kind="primary" onClick={props.onRetry}>
          Retry
        </Button>
        <Button onClick={() => void command('localBackend.openLogs').catch(() => undefined)}>
          Open logs
        </Button>
        <Button onClick={() => openDialog({ kind: 'addConnection' })}>Use remote servers only</Button>
      </div>
      <h3>Last lines of its log</h3>
      <LogText label="Last lines of its log" lines={lines} heightPx={260} />
    </section>
  );
}

/** Read again whenever `since` changes. */
export function useLogTail(since: number): readonly string[] {
  const [lines, setLines] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new phase means new lines
  useEffect(() => {
    command('localBackend.logTail').then(setLines, () => setLines([]));
  }, [since]);
  return lines;
}
