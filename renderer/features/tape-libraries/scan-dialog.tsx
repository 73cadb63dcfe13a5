import { useEffect, useState } from 'react';
import type { CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import { problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { t } from '../../texts/index.ts';
import { Dialog, formatBytes, Progress, StatusBadge, showHidden } from '../../ui/index.ts';
import { stateMeaning, stateWord } from './place-words.ts';

/** Reads a cartridge and tells what it says of itself. */
export function ScanDialog(props: {
  readonly barcode: string;
  readonly read: () => Promise<CartridgeScan>;
  readonly onClose: () => void;
}) {
  const { barcode, read } = props;
  const [found, setFound] = useState<CartridgeScan | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // Asked once: a drive is busy with it for minutes.
  useEffect(() => {
    let isShown = true;
    read().then(
      (scan) => isShown && setFound(scan),
      (error: unknown) => isShown && setProblem(problemOf(error).message),
    );
    return () => {
      isShown = false;
    };
  }, [read]);
  return (
    <Dialog
      title={t('tapeLibraries.scan.title', { barcode })}
      submitLabel={t('common.close')}
      onSubmit={props.onClose}
      onClose={props.onClose}
      cancelLabel={null}
      problem={problem}
    >
      {found === null && problem === null && (
        <>
          <p className="muted">{t('tapeLibraries.scan.reading')}</p>
          <Progress label={t('tapeLibraries.scan.progress')} percent={null} />
        </>
      )}
      {found !== null && <Found scan={found} />}
    </Dialog>
  );
}

function Found(props: { readonly scan: CartridgeScan }) {
  const { scan } = props;
  const bytes = scan.parts.reduce((sum, part) => sum + part.bytes, 0);
  const label =
    scan.label === null
      ? t('tapeLibraries.scan.noLabel')
      : t('tapeLibraries.scan.label', {
          barcode: showHidden(scan.label.barcode),
          pool: showHidden(scan.label.pool),
        });
  return (
    <>
      <Facts
        facts={[
          [
            t('tapeLibraries.state'),
            <StatusBadge key="state" meaning={stateMeaning(scan.state)} word={stateWord(scan.state)} />,
          ],
          [t('tapeLibraries.labelName'), label],
          [t('tapeLibraries.scan.parts'), `${scan.parts.length}, ${formatBytes(bytes)}`],
          [t('tapeLibraries.scan.found'), String(scan.copies_found.length)],
          [t('tapeLibraries.scan.incomplete'), String(scan.copies_incomplete)],
          [t('tapeLibraries.scan.missing'), scan.cartridges_missing.map(showHidden).join(', ')],
        ]}
      />
      {scan.problems.length > 0 && (
        <ul className="lines selectable" aria-label={t('tapeLibraries.scan.problems')}>
          {scan.problems.map((line) => (
            <li key={line}>{showHidden(line)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
