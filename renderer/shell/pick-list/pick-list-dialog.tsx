import { CircleCheck, CircleDashed } from 'lucide-react';
import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  ColumnHead,
  Dialog,
  formatBytes,
  formatServerTime,
  LoadingRows,
  MeaningIcon,
  showHidden,
} from '../../ui/index.ts';
import { useRights } from '../rights.ts';
import type { PickLine } from './pick-plan.ts';
import { pickText, planLines, todoWord, whereIs } from './pick-words.ts';
import { useWanted } from './use-wanted.ts';
import './pick-list.css';

/** Cartridges that a restore wants: where each is, what to do, ticked off as the robot sees them. */
export function PickListDialog(props: {
  readonly connectionId: string;
  readonly copy: Copy;
  readonly onClose: () => void;
}) {
  const { connectionId, copy } = props;
  const answer = useWanted(connectionId, copy);
  const whyNoSync = useRights(connectionId)('tape_libraries.run');
  const [told, setTold] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = answer?.value ?? null;
  const heading = t('tapeBoard.pick.heading', { resource: showHidden(copy.resource) });
  const of = t('tapeBoard.pick.of', {
    created: formatServerTime(copy.created),
    pool: showHidden(copy.pool ?? ''),
  });
  const attempt = (work: () => Promise<void>) => {
    setProblem(null);
    setTold(null);
    work().catch((error: unknown) => setProblem(problemOf(error).message));
  };
  const save = () =>
    attempt(async () => {
      if (wanted === null) return;
      const path = await command('dialog.saveFile', {
        title: t('tapeBoard.pick.title'),
        defaultName: `cartridges-of-copy-${copy.id}.txt`,
        text: pickText(heading, of, wanted.plan),
      });
      if (path !== null) setTold(t('tapeBoard.pick.saved', { path: showHidden(path) }));
    });
  const sync = () =>
    attempt(async () => {
      const id = wanted?.libraryId ?? null;
      if (id === null) return;
      await call(connectionId, 'tapeLibraries.sync', { params: { id } });
      answer?.reload();
    });
  return (
    <Dialog
      title={t('tapeBoard.pick.title')}
      submitLabel={t('common.close')}
      onSubmit={props.onClose}
      onClose={props.onClose}
      cancelLabel={null}
      problem={problem ?? (wanted === null ? (answer?.problem?.reason ?? null) : null)}
      isWide
    >
      <div className="print-sheet">
        <h2 className="selectable">{heading}</h2>
        <p className="muted">{of}</p>
        {wanted === null && answer?.problem == null && <LoadingRows rows={3} />}
        {wanted !== null && (
          <>
            {wanted.unseen !== null && (
              <p className="banner banner-warning" role="alert">
                {t('tapeBoard.pick.cannotSee', { reason: showHidden(wanted.unseen) })}
              </p>
            )}
            <p role="status" className="pick-summary">
              <MeaningIcon meaning={wanted.plan.missing.length === 0 ? 'ok' : 'warning'} />
              <span>{planLines(wanted.plan).join(' ')}</span>
            </p>
            {wanted.plan.lines.length > 0 && <PickTable lines={wanted.plan.lines} />}
          </>
        )}
      </div>
      {told !== null && <p role="status">{told}</p>}
      <div className="pick-acts">
        <Button onClick={save}>{t('tapeBoard.pick.save')}</Button>
        <Button onClick={() => window.print()}>{t('tapeBoard.pick.print')}</Button>
        <Button onClick={sync} disabledBecause={whyNoSync}>
          {t('tapeLibraries.sync.button')}
        </Button>
      </div>
    </Dialog>
  );
}

function PickTable(props: { readonly lines: readonly PickLine[] }) {
  return (
    <table className="pick-table selectable" aria-label={t('tapeBoard.pick.table')}>
      <thead>
        <tr>
          <ColumnHead sorted="ascending">{t('tapeBoard.pick.order')}</ColumnHead>
          <ColumnHead>{t('tapeBoard.pick.arrived')}</ColumnHead>
          <ColumnHead>{t('tapeLibraries.barcode')}</ColumnHead>
          <ColumnHead>{t('tapeBoard.pick.where')}</ColumnHead>
          <ColumnHead>{t('tapeBoard.pick.todo')}</ColumnHead>
          <ColumnHead>{t('common.size')}</ColumnHead>
        </tr>
      </thead>
      <tbody>
        {props.lines.map((line) => {
          const Icon = line.isThere ? CircleCheck : CircleDashed;
          return (
            <tr key={line.barcode} data-there={line.isThere}>
              <td>{line.order}</td>
              <td>
                <span className={`badge meaning-${line.isThere ? 'ok' : 'warning'}`}>
                  <Icon size={14} aria-hidden />
                  {t(line.isThere ? 'tapeBoard.pick.isThere' : 'tapeBoard.pick.isMissing')}
                </span>
              </td>
              <th scope="row" className="mono">
                {showHidden(line.barcode)}
              </th>
              <td>{showHidden(whereIs(line))}</td>
              <td>{todoWord(line)}</td>
              <td>{formatBytes(line.bytes)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
