import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { call } from '../../bridge.ts';
import { mediaSetNames } from '../../shell/choices.ts';
import { textOf } from '../../shell/form-values.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { refreshList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';

/** Why these are in no media set, in words; null: they may be. */
export const whyNoSet = (cartridges: readonly Cartridge[]): string | null =>
  cartridges.some(({ state }) => state === 'cleaning') ? t('tapeLibraries.whyNot.cleaning') : null;

/** Asks for the media set of cartridges: one that is there, a new one or none. */
export async function openAssign(connectionId: string, cartridges: readonly Cartridge[]): Promise<void> {
  const list = await mediaSetNames(connectionId);
  const [first] = cartridges;
  const count = cartridges.length;
  const barcode = showHidden(first?.barcode ?? '');
  const isSame = cartridges.every(({ media_set_name: name }) => name === first?.media_set_name);
  openDialog({
    kind: 'form',
    form: {
      title:
        count === 1
          ? t('tapeLibraries.assign.oneTitle', { barcode })
          : t('tapeLibraries.assign.title', { count }),
      submitLabel: t('tapeLibraries.assign.submit'),
      summary: t('tapeLibraries.assign.summary'),
      fields: [
        {
          name: 'media_set_name',
          label: t('tapeLibraries.assign.name'),
          type: 'text',
          list,
          help: t('tapeLibraries.assign.nameHelp'),
        },
      ],
      initial: { media_set_name: (isSame ? first?.media_set_name : null) ?? '' },
      submit: async (values) => {
        const wanted = textOf(values, 'media_set_name').trim();
        const ids = cartridges.map(({ id }) => id);
        const body = { ids, media_set_name: wanted === '' ? null : wanted };
        const [now] = await call(connectionId, 'cartridges.assign', { body });
        refreshList(connectionId, 'Cartridges');
        // As the server spells it.
        const name = now?.media_set_name ?? null;
        const message = name === null ? outWords(count, barcode) : inWords(count, barcode, showHidden(name));
        showNotice({ level: 'info', message });
      },
    },
  });
}

const inWords = (count: number, barcode: string, name: string): string =>
  count === 1
    ? t('tapeLibraries.assign.oneDone', { barcode, name })
    : t('tapeLibraries.assign.done', { count, name });

const outWords = (count: number, barcode: string): string =>
  count === 1 ? t('tapeLibraries.assign.oneOut', { barcode }) : t('tapeLibraries.assign.out', { count });
