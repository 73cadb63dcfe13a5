import { useEffect, useId, useRef, useState } from 'react';
import type { ProbeResult } from '../../../contract/desktop/connection.ts';
import { command, problemOf } from '../../bridge.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { MeaningIcon, showHidden } from '../../ui/index.ts';

const words = textsOf('connections').probe;
const { reasons } = textsOf('connections').certificate;

type Seen =
  | { readonly kind: 'looking' }
  | { readonly kind: 'found'; readonly result: ProbeResult }
  | { readonly kind: 'failed'; readonly reason: string };

/** What stands behind an address: asked once it was typed, never needed for connecting. Another address begins anew. */
export function useAddressProbe(address: string): {
  readonly seen: Seen | null;
  readonly look: () => void;
  readonly forget: () => void;
} {
  const base = useId();
  const [seen, setSeen] = useState<Seen | null>(null);
  const running = useRef<string | null>(null);
  const tries = useRef(0);
  const giveUp = () => {
    const callId = running.current;
    running.current = null;
    // What was given up answers nobody.
    if (callId !== null) command('api.cancel', { callId }).catch(() => undefined);
  };
  const forget = () => {
    giveUp();
    setSeen(null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end of the dialog only
  useEffect(() => giveUp, []);
  const look = () => {
    const text = address.trim();
    // What is known of this very address stays; a look that failed is tried again.
    if (text === '' || (seen !== null && seen.kind !== 'failed')) return;
    giveUp();
    tries.current += 1;
    const callId = `${base} ${tries.current}`;
    running.current = callId;
    setSeen({ kind: 'looking' });
    const tell = (next: Seen) => {
      if (running.current !== callId) return;
      running.current = null;
      setSeen(next);
    };
    command('connections.probe', { address: text, callId }).then(
      (result) => tell({ kind: 'found', result }),
      (error: unknown) => {
        const { errors, message } = problemOf(error);
        tell({ kind: 'failed', reason: errors?.address ?? message });
      },
    );
  };
  return { seen, look, forget };
}

/** Below the address. Its room is kept from the beginning: a line that comes while a button is pressed would move that away. */
export function ProbeLine(props: { readonly seen: Seen | null; readonly help: string }) {
  return (
    <p className="probe-line" role="status">
      {props.seen === null ? props.help : <ProbeText seen={props.seen} />}
    </p>
  );
}

function ProbeText({ seen }: { readonly seen: Seen }) {
  if (seen.kind === 'looking') return words.looking;
  if (seen.kind === 'failed')
    return (
      <>
        <MeaningIcon meaning="warning" /> <span>{showHidden(seen.reason)}</span>
      </>
    );
  const { trust, reason, version } = seen.result;
  const answers =
    version === null ? words.noVersion : t('connections.probe.version', { version: showHidden(version) });
  if (trust === 'unknown')
    return (
      <>
        <MeaningIcon meaning="warning" />{' '}
        <span>{[words.unknown, reason === null ? '' : wordFor(reasons, reason), words.asked].join(' ')}</span>
      </>
    );
  return (
    <>
      <MeaningIcon meaning={trust === 'system' ? 'ok' : 'warning'} />{' '}
      <span>{[answers, words[trust]].join(' ')}</span>
    </>
  );
}
