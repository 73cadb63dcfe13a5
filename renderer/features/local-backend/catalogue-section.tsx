import { useMemo } from 'react';
import type { CatalogueCopy } from '../../../contract/catalogue-copy/catalogue-copy.ts';
import { call } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, formatBytes, showHidden } from '../../ui/index.ts';

const words = textsOf('localBackend');
const watch = { kinds: [], pollMs: 3000, settleMs: 0 } as const;

/** The database that holds all that the backend knows, and a copy of it. */
export function CatalogueSection(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const reason = useRights(connectionId)('global_configuration.write');
  const isOffered = useExtension(connectionId, 'catalogue_copy') && reason === null;
  const load = useMemo(
    () => (isOffered ? (signal: AbortSignal) => call(connectionId, 'catalogueCopy.get', {}, signal) : null),
    [connectionId, isOffered],
  );
  const { value, problem } = useAnswer(connectionId, load, watch);
  return (
    <section className="page-section" aria-label={words.catalogue}>
      <h2>{words.catalogue}</h2>
      <p className="muted" style={{ maxWidth: 720 }}>
        {words.catalogueHelp}
      </p>
      <Facts
        facts={[
          [
            words.lastCopy,
            <span key="last" className="selectable">
              {problem === null ? copyText(value) : showHidden(problem.reason)}
            </span>,
          ],
        ]}
      />
      <div className="toolbar-actions">
        <Button onClick={() => openDialog({ kind: 'copyCatalogue', connectionId })} disabledBecause={reason}>
          {words.copyCatalogue}
        </Button>
      </div>
    </section>
  );
}

function copyText(copy: CatalogueCopy | null): string {
  if (copy === null) return '–';
  const path = showHidden(copy.path ?? '');
  switch (copy.status) {
    case 'none':
      return words.lastCopyNone;
    case 'running':
      return t('localBackend.lastCopyRunning', { path });
    case 'done':
      return t('localBackend.lastCopyDone', { path, size: formatBytes(copy.size) });
    default:
      return showHidden(copy.error_message ?? copy.status);
  }
}
