import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import { t, textsOf } from '../../texts/index.ts';
import { formatServerTime } from '../../ui/index.ts';

const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?/g;
const { reasons } = textsOf('retention');

type Reasoned = Pick<CopyOutlook, 'rule' | 'reason' | 'store_until' | 'goes'>;

/**
 * Why a copy is there or not. Rules that say all by their name and the copy's own times are worded here; of the others
 * only the server knows what they depend on: its sentence is kept, with its times as all others are shown.
 */
export function retentionReason({ rule, reason, store_until: until, goes }: Reasoned): string {
  const time = until ?? goes;
  if (rule === 'not_expired' || rule === 'expired') {
    if (time !== null) return t(`retention.reasons.${rule}`, { time: formatServerTime(time) });
  } else if (Object.hasOwn(reasons, rule)) {
    return reasons[rule as keyof typeof reasons];
  }
  return reason.replace(times, (text) => formatServerTime(text));
}
