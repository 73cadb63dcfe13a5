import { useEffect, useMemo, useState } from 'react';
import { command, problemOf } from '../../bridge.ts';
import { logLineOf, ofSeverity, type Severity } from '../../shell/backend-log.ts';
import { copyText } from '../../shell/keys.ts';
import { SeverityFilter } from '../../shell/severity-filter.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { type LogLine, LogView, showHidden } from '../../ui/index.ts';

const words = textsOf('localBackend');
const pollMs = 1000;
const mostKept = 2000;

/** What the backend writes, as it writes it; the view follows its end until somebody scrolls up. */
export function LocalLog() {
  const { lines, problem } = useLog();
  const [severity, setSeverity] = useState<Severity>('all');
  const shown = useMemo(() => ofSeverity(lines, severity), [lines, severity]);
  return (
    <section className="page-section" aria-label={words.log}>
      {problem !== null && (
        <p role="alert" className="meaning-error">
          {t('localBackend.logFailed', { reason: showHidden(problem) })}
        </p>
      )}
      <div style={{ display: 'flex', flexDirection: 'column', height: 320 }}>
        <LogView
          label={words.log}
          lines={shown}
          onCopy={copyText}
          empty={severity === 'all' ? words.logEmpty : t('shell.log.emptyFiltered')}
          tools={
            <>
              <h2>{words.log}</h2>
              <SeverityFilter value={severity} onChange={setSeverity} />
            </>
          }
        />
      </div>
    </section>
  );
}

function useLog(): { readonly lines: readonly LogLine[]; readonly problem: string | null } {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    let isBusy = false;
    let last = 0;
    const read = (): void => {
      if (isBusy || document.visibilityState !== 'visible') return;
      isBusy = true;
      command('localBackend.log', { after: last })
        .then(
          (more) => {
            if (isGone) return;
            setProblem(null);
            if (more.length === 0) return;
            last = more.at(-1)?.id ?? last;
            setLines((before) => [...before, ...more.map(logLineOf)].slice(-mostKept));
          },
          (error: unknown) => isGone || setProblem(problemOf(error).message),
        )
        .finally(() => {
          isBusy = false;
        });
    };
    read();
    const timer = setInterval(read, pollMs);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, []);
  return { lines, problem };
}
