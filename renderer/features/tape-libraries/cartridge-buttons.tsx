import { type Cartridge, isAway } from '../../../contract/cartridges/cartridge.ts';
import { mediaSetExtension } from '../../shell/choices.ts';
import { useExtension, useRights } from '../../shell/rights.ts';
import { tellFailure } from '../../shell/tell.ts';
import { t } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';
import { openAssign, whyNoSet } from './assign-set.ts';
import {
  openBringBack,
  openForget,
  openLabel,
  openMoveOffSite,
  openScan,
  whyNotLabelled,
  whyNotRead,
} from './cartridge-acts.tsx';

interface Act {
  readonly label: string;
  readonly permission: string;
  readonly open: (connectionId: string, cartridge: Cartridge) => void;
  readonly whyNot: (cartridge: Cartridge) => string | null;
}

const actsOf = (cartridge: Cartridge | undefined): readonly Act[] => [
  {
    label: t('tapeLibraries.labelAsk'),
    permission: 'tape_libraries.write',
    open: openLabel,
    whyNot: whyNotLabelled,
  },
  {
    label: t('tapeLibraries.readAsk'),
    permission: 'tape_libraries.write',
    open: openScan,
    whyNot: whyNotRead,
  },
  {
    permission: 'tape_libraries.run',
    whyNot: () => null,
    ...(cartridge !== undefined && isAway(cartridge)
      ? { label: t('tapeLibraries.backAsk'), open: openBringBack }
      : { label: t('tapeLibraries.offSiteAsk'), open: openMoveOffSite }),
  },
];

/** What can be done with cartridges, on the board and in their list alike: most of it with one, forgetting with many. */
export function CartridgeButtons(props: {
  readonly connectionId: string;
  readonly cartridges: readonly Cartridge[];
}) {
  const { connectionId, cartridges } = props;
  const reasonFor = useRights(connectionId);
  const hasSets = useExtension(connectionId, mediaSetExtension);
  const only = cartridges.length === 1 ? cartridges[0] : undefined;
  return (
    <>
      {actsOf(only).map(({ label, permission, open, whyNot }) => (
        <Button
          key={label}
          onClick={() => only !== undefined && open(connectionId, only)}
          disabledBecause={
            only === undefined ? t('tapeLibraries.selectCartridge') : (reasonFor(permission) ?? whyNot(only))
          }
        >
          {label}
        </Button>
      ))}
      {hasSets && (
        <Button
          onClick={() => tellFailure(openAssign(connectionId, cartridges))}
          disabledBecause={
            cartridges.length === 0
              ? t('tapeLibraries.selectCartridges')
              : (reasonFor('tape_libraries.write') ?? whyNoSet(cartridges))
          }
        >
          {t('tapeLibraries.assignAsk')}
        </Button>
      )}
      <Button
        onClick={() => openForget(connectionId, cartridges)}
        disabledBecause={
          cartridges.length === 0 ? t('tapeLibraries.selectCartridges') : reasonFor('tape_libraries.delete')
        }
      >
        {t('tapeLibraries.forgetAsk')}
      </Button>
    </>
  );
}
