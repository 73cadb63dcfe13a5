import { useState } from 'react';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call, problemOf } from '../../bridge.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { refreshList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t } from '../../texts/index.ts';
import { Checkbox, Dialog, showHidden } from '../../ui/index.ts';
import { loadBoard } from './board-data.ts';
import { type Place, unregisteredOn } from './board-rules.ts';
import { placeName } from './place-words.ts';

const refused = 422;

/** Compares the barcodes. Cartridges that nobody registered stop it; then they can be registered on the spot. */
export async function syncLibrary(connectionId: string, library: TapeLibrary): Promise<void> {
  try {
    await syncNow(connectionId, library);
  } catch (error) {
    const problem = problemOf(error);
    const open = problem.status === refused ? await unregistered(connectionId, library) : [];
    if (open.length === 0) {
      const model = showHidden(library.model);
      showNotice({
        level: 'error',
        message: t('tapeLibraries.sync.failed', { model, reason: problem.message }),
      });
    } else {
      openDialog({
        kind: 'own',
        draw: (close) => (
          <UnregisteredDialog
            connectionId={connectionId}
            library={library}
            places={open}
            reason={problem.message}
            onClose={close}
          />
        ),
      });
    }
  } finally {
    refreshList(connectionId, 'Tape libraries');
    refreshList(connectionId, 'Cartridges');
  }
}

async function syncNow(connectionId: string, library: TapeLibrary): Promise<void> {
  const found = await call(connectionId, 'tapeLibraries.sync', { params: { id: library.id } });
  showNotice({
    level: 'info',
    message: t('tapeLibraries.sync.done', {
      model: showHidden(library.model),
      cartridges: t('common.counts.cartridges', { count: found.cartridges }),
      slots: found.slots_total,
    }),
  });
}

/** Where the robot cannot be read now, the refusal itself is all that can be told. */
async function unregistered(connectionId: string, library: TapeLibrary): Promise<readonly Place[]> {
  try {
    return unregisteredOn((await loadBoard(connectionId, library.id)).board);
  } catch {
    return [];
  }
}

export function UnregisteredDialog(props: {
  readonly connectionId: string;
  readonly library: TapeLibrary;
  readonly places: readonly Place[];
  /** What the server said; null: it was not asked yet. */
  readonly reason: string | null;
  readonly onClose: () => void;
}) {
  const { connectionId, library, places, onClose } = props;
  const [left, setLeft] = useState<readonly Place[]>(places);
  const [off, setOff] = useState<ReadonlySet<number>>(new Set());
  const chosen = left.filter(({ address }) => !off.has(address));
  const { isBusy, problem, submit } = useSubmit(async () => {
    for (const { address, barcode } of chosen) {
      const body = { tape_library: library.id, barcode: barcode ?? '' };
      await call(connectionId, 'cartridges.create', { body });
      setLeft((before) => before.filter((place) => place.address !== address));
    }
    refreshList(connectionId, 'Cartridges');
    if (chosen.length === left.length) await syncNow(connectionId, library);
    refreshList(connectionId, 'Tape libraries');
  }, onClose);
  return (
    <Dialog
      title={t('tapeLibraries.unregistered.title')}
      submitLabel={t('tapeLibraries.unregistered.submit', { count: chosen.length })}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={chosen.length === 0 ? t('tapeLibraries.unregistered.chooseOne') : null}
      summary={t('tapeLibraries.unregistered.summary', { pool: showHidden(library.pool) })}
    >
      {props.reason !== null && <p className="selectable">{t('tapeLibraries.unregistered.why')}</p>}
      <fieldset className="radio-group check-group" aria-label={t('tapeLibraries.unregistered.list')}>
        {left.map((place) => (
          <Checkbox
            key={place.address}
            label={t('tapeLibraries.unregistered.line', {
              barcode: showHidden(place.barcode ?? ''),
              place: placeName(place),
            })}
            checked={!off.has(place.address)}
            onChange={(isOn) => {
              const next = new Set(off);
              if (isOn) next.delete(place.address);
              else next.add(place.address);
              setOff(next);
            }}
          />
        ))}
      </fieldset>
      <p className="muted">{t('tapeLibraries.unregistered.others')}</p>
    </Dialog>
  );
}
