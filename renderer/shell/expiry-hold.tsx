import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import type { ExpiryHold } from '../../contract/repository/expiry-hold.ts';
import { call } from '../bridge.ts';
import { t, textsOf } from '../texts/index.ts';
import { Button, formatServerTime, showHidden } from '../ui/index.ts';
import { useExtension, useRights } from './rights.ts';
import { openDialog } from './shell-store.ts';
import { useAnswer } from './use-answer.ts';

const words = textsOf('shell').expiryHold;
const watch = { kinds: ['configuration', 'repository'], pollMs: 60_000, settleMs: 500 } as const;

/** Says that nothing expires since the server's clock has jumped, and lets a person confirm the clock; else nothing. */
export function ExpiryHoldBanner(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const isKnown = useExtension(connectionId, 'expiry_hold');
  const reasonFor = useRights(connectionId);
  const isAsked = isKnown && reasonFor('global_configuration.read') === null;
  const load = useMemo(
    () => (isAsked ? (signal: AbortSignal) => call(connectionId, 'repository.expiryHold', {}, signal) : null),
    [connectionId, isAsked],
  );
  const { value, problem, reload } = useAnswer(connectionId, load, watch);
  if (value === null && problem === null) return null;
  if (value === null) {
    return (
      <div className="banner banner-error" role="alert">
        <span className="grow-text selectable">
          {words.unknown} {showHidden(problem?.reason ?? '')}
        </span>
      </div>
    );
  }
  if (!value.held) return null;
  return (
    <div className="banner banner-warning" role="alert">
      <TriangleAlert size={16} aria-hidden />
      <span className="grow-text selectable">{told(value)}</span>
      <Button
        onClick={() => openConfirmation(connectionId, value, reload)}
        disabledBecause={reasonFor('global_configuration.write')}
      >
        {words.confirm}
      </Button>
    </div>
  );
}

function told({ clock, clock_before: before, copies }: ExpiryHold): string {
  const now = showHidden(formatServerTime(clock));
  const times = { now, before: before === null ? now : showHidden(formatServerTime(before)) };
  return t('shell.expiryHold.told', { ...times, count: copies });
}

function openConfirmation(connectionId: string, hold: ExpiryHold, onDone: () => void): void {
  const clock = showHidden(formatServerTime(hold.clock));
  openDialog({
    kind: 'form',
    form: {
      title: words.title,
      submitLabel: words.submit,
      summary: t('shell.expiryHold.summary', { clock, count: hold.copies }),
      fields: [],
      initial: {},
      submit: async () => {
        await call(connectionId, 'repository.endExpiryHold', { body: { held: false } });
        onDone();
      },
    },
  });
}
