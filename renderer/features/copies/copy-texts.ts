import { t } from '../../texts/index.ts';
import { nameInText, showHidden } from '../../ui/index.ts';

/** What a copy needs of its chain and what needs it, in counts of copies. */
export function chainText(needed: number, dependent: number): string {
  if (needed === 0 && dependent === 0) return t('copies.chain.whole');
  return t('copies.chain.both', {
    needs: needed === 0 ? t('copies.chain.isWhole') : t('copies.chain.needs', { count: needed }),
    needed:
      dependent === 0 ? t('copies.chain.neededByNone') : t('copies.chain.neededBy', { count: dependent }),
  });
}

/** What a deletion takes away; `unknown` of the copies cannot be looked at. */
export function totalText(count: number, bytes: string, unknown: number): string {
  if (unknown === 0) return t('copies.removal.total', { count, bytes });
  return t('copies.removal.totalUnknown', {
    count,
    bytes,
    unknown: t('common.counts.copies', { count: unknown }),
  });
}

/** That nothing of a resource can be restored afterwards, or why that is not known. */
export function lossText(loss: {
  readonly resource: string;
  readonly client: string;
  readonly isAllGone: boolean;
  readonly unknownBecause: string | null;
}): string {
  const of = { resource: nameInText(loss.resource), client: nameInText(loss.client) };
  if (loss.unknownBecause !== null) {
    return t('copies.removal.notKnown', { ...of, reason: showHidden(loss.unknownBecause) });
  }
  return loss.isAllGone ? t('copies.removal.noneStays', of) : t('copies.removal.onlyBroken', of);
}
