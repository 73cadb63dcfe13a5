import { type Cartridge, type CartridgeScan, isAway } from '../../../contract/cartridges/cartridge.ts';
import { call } from '../../bridge.ts';
import { flagOf } from '../../shell/form-values.ts';
import { hasExtension } from '../../shell/rights.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { tellTask } from '../../shell/tell.ts';
import { refreshList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';
import { loadBoard, moveCartridge } from './board-data.ts';
import { whenTaskEnds } from './cartridge-tasks.ts';
import { mediaSetOf, placeName, stateWord } from './place-words.ts';
import { ScanDialog } from './scan-dialog.tsx';

// What is done with one cartridge: on the board and in the list of cartridges alike.

/** Servers that label and read by tasks of their queue. */
const taskExtension = 'cartridge_tasks';

const nameOf = ({ barcode }: Cartridge): string => showHidden(barcode);

/** Why no label can be written on it, in words; null: the tape itself decides. */
export function whyNotLabelled(cartridge: Cartridge): string | null {
  if (cartridge.state === 'cleaning') return t('tapeLibraries.whyNot.cleaning');
  return whyNotReached(cartridge) ?? whyNotEmpty(cartridge);
}

const whyNotEmpty = ({ copies }: Cartridge): string | null =>
  copies > 0 ? t('tapeLibraries.whyNot.copies') : null;

function whyNotReached(cartridge: Cartridge): string | null {
  if (!isAway(cartridge)) return null;
  return cartridge.location === 'unknown'
    ? t('tapeLibraries.whyNot.unknown')
    : t('tapeLibraries.whyNot.outside');
}

export const whyNotRead = (cartridge: Cartridge): string | null => {
  if (cartridge.state === 'cleaning') return t('tapeLibraries.whyNot.cleaning');
  return whyNotReached(cartridge);
};

export function openLabel(connectionId: string, cartridge: Cartridge): void {
  openDialog({
    kind: 'form',
    form: {
      title: t('tapeLibraries.label.title', { barcode: nameOf(cartridge) }),
      submitLabel: t('tapeLibraries.label.submit'),
      summary: t('tapeLibraries.label.summary'),
      fields: [
        {
          name: 'overwrite',
          label: t('tapeLibraries.label.overwrite'),
          type: 'checkbox',
          help: t('tapeLibraries.label.overwriteHelp'),
        },
      ],
      initial: { overwrite: false },
      submit: async (values) => {
        const overwrite = flagOf(values, 'overwrite') ? { overwrite: true } : {};
        const params = { id: cartridge.id };
        if (hasExtension(connectionId, taskExtension)) {
          const { task_id: id } = await call(connectionId, 'cartridges.labelTask', {
            params,
            body: overwrite,
          });
          tellTask(connectionId, t('tapeLibraries.label.begun', { barcode: nameOf(cartridge), id }), id);
          whenTaskEnds(connectionId, id, () => refreshList(connectionId, 'Cartridges'));
          return;
        }
        const body = { label: true as const, ...overwrite };
        await call(connectionId, 'cartridges.update', { params, body });
        refreshList(connectionId, 'Cartridges');
        showNotice({
          level: 'info',
          message: t('tapeLibraries.label.done', { barcode: nameOf(cartridge) }),
        });
      },
    },
  });
}

/** Reads the tape by a task, whose log tells what is on it. A server without such tasks answers once the drive is done. */
export function openScan(connectionId: string, cartridge: Cartridge): void {
  const params = { id: cartridge.id };
  const readAgain = (): void => {
    refreshList(connectionId, 'Cartridges');
    refreshList(connectionId, 'Copies');
  };
  if (hasExtension(connectionId, taskExtension)) {
    openDialog({
      kind: 'form',
      form: {
        title: t('tapeLibraries.scan.title', { barcode: nameOf(cartridge) }),
        submitLabel: t('tapeLibraries.scan.submit'),
        summary: t('tapeLibraries.scan.summary'),
        fields: [],
        initial: {},
        submit: async () => {
          const { task_id: id } = await call(connectionId, 'cartridges.scanTask', { params });
          tellTask(connectionId, t('tapeLibraries.scan.begun', { barcode: nameOf(cartridge), id }), id);
          whenTaskEnds(connectionId, id, readAgain);
        },
      },
    });
    return;
  }
  const read = async (): Promise<CartridgeScan> => {
    const found = await call(connectionId, 'cartridges.scan', { params });
    readAgain();
    return found;
  };
  openDialog({
    kind: 'own',
    draw: (close) => <ScanDialog barcode={nameOf(cartridge)} read={read} onClose={close} />,
  });
}

export function openForget(connectionId: string, cartridges: readonly Cartridge[]): void {
  openDialog({
    kind: 'remove',
    title: t('tapeLibraries.forget.title'),
    removal: {
      items: cartridges.map((one) => `${one.barcode}, ${stateWord(one.state)}`),
      submitLabel: t('tapeLibraries.forget.submit'),
      consequences: async () => [t('tapeLibraries.forget.consequence')],
      remove: async () => {
        const ids = cartridges.map(({ id }) => id);
        await call(connectionId, 'cartridges.deleteMany', { body: { ids } });
        refreshList(connectionId, 'Cartridges');
        return [];
      },
    },
  });
}

/** A simulated library has no person at its door: what one would do is done with it. */
async function atTheDoor(connectionId: string, cartridge: Cartridge, isPutIn: boolean): Promise<boolean> {
  const { simulated } = await loadBoard(connectionId, cartridge.tape_library);
  if (simulated === null) return false;
  const others = simulated.cartridges.filter((barcode) => barcode !== cartridge.barcode);
  const cartridges = isPutIn ? [...others, cartridge.barcode] : others;
  await call(connectionId, 'virtualLibraries.update', { params: { id: simulated.id }, body: { cartridges } });
  await call(connectionId, 'tapeLibraries.sync', { params: { id: cartridge.tape_library } });
  return true;
}

/** Says which others its copies need. */
function togetherWith(cartridge: Cartridge): readonly string[] {
  const others = mediaSetOf(cartridge)
    .filter((one) => one !== cartridge.barcode)
    .map(showHidden);
  return others.length === 0 ? [] : [t('tapeLibraries.offSite.together', { barcodes: others.join(', ') })];
}

/** The robot brings it to import/export; from there a person takes it. */
export function openMoveOffSite(connectionId: string, cartridge: Cartridge): void {
  const barcode = nameOf(cartridge);
  openDialog({
    kind: 'form',
    form: {
      title: t('tapeLibraries.offSite.title', { barcode }),
      submitLabel: t('tapeLibraries.offSite.submit'),
      summary: [t('tapeLibraries.offSite.summary'), ...togetherWith(cartridge)].join(' '),
      fields: [],
      initial: {},
      submit: async () => {
        const where = await toMailSlot(connectionId, cartridge);
        const isOut = await atTheDoor(connectionId, cartridge, false);
        refreshList(connectionId, 'Cartridges');
        showNotice({
          level: 'info',
          message: isOut
            ? t('tapeLibraries.offSite.isOut', { barcode })
            : t('tapeLibraries.offSite.takeOut', { barcode, place: where }),
        });
      },
    },
  });
}

async function toMailSlot(connectionId: string, cartridge: Cartridge): Promise<string> {
  const { board } = await loadBoard(connectionId, cartridge.tape_library);
  const here = [...board.drive, ...board.storage, ...board.mail].find(
    (place) => place.cartridge?.id === cartridge.id,
  );
  if (here === undefined) throw new Error(t('tapeLibraries.offSite.notInside'));
  if (here.kind === 'mail') return placeName(here);
  const free = board.mail.find((place) => !place.full);
  if (free === undefined)
    throw new Error(
      t(board.mail.length === 0 ? 'tapeLibraries.offSite.noMail' : 'tapeLibraries.offSite.mailFull'),
    );
  await call(connectionId, 'cartridges.move', {
    params: { id: cartridge.tape_library },
    body: { from: here.address, to: free.address },
  });
  return placeName(free);
}

/** After a person has put it in: the library is synchronised, and it goes from import/export to a slot. */
export function openBringBack(connectionId: string, cartridge: Cartridge): void {
  const barcode = nameOf(cartridge);
  openDialog({
    kind: 'form',
    form: {
      title: t('tapeLibraries.back.title', { barcode }),
      submitLabel: t('tapeLibraries.back.submit'),
      summary: t('tapeLibraries.back.summary'),
      fields: [],
      initial: {},
      submit: async () => {
        const id = cartridge.tape_library;
        if (!(await atTheDoor(connectionId, cartridge, true)))
          await call(connectionId, 'tapeLibraries.sync', { params: { id } });
        const { board } = await loadBoard(connectionId, id);
        const isIn = [...board.drive, ...board.storage, ...board.mail].some(
          (place) => place.cartridge?.id === cartridge.id,
        );
        if (!isIn) throw new Error(t('tapeLibraries.back.notThere', { barcode }));
        const at = board.mail.find((place) => place.cartridge?.id === cartridge.id);
        const free = board.storage.find((place) => !place.full && !place.needsPerson);
        if (at !== undefined && free !== undefined)
          await moveCartridge(connectionId, id, {
            from: at.address,
            to: free.address,
            barcode: cartridge.barcode,
          });
        refreshList(connectionId, 'Cartridges');
        showNotice({ level: 'info', message: t('tapeLibraries.back.done', { barcode }) });
      },
    },
  });
}
