import { useState } from 'react';
import { problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { Dialog, showHidden } from '../../ui/index.ts';

const reasons: Readonly<Record<string, string>> = {
  selfSigned: 'It vouches for itself; no authority does.',
  wrongHost: 'It is meant for another address.',
  expired: 'It has expired.',
  notYetValid: 'It is not valid yet.',
  untrusted: 'The authority that vouches for it is not known here.',
};

/** Asks a person to compare fingerprints. "No" is the default, and nothing has been sent so far. */
export function CertificateDialog(props: {
  readonly isChange: boolean;
  readonly facts: Readonly<Record<string, string>>;
  readonly onTrust: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { facts, isChange, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const trust = () => {
    setBusy(true);
    props
      .onTrust()
      .then(onClose)
      .catch((error: unknown) => setProblem(problemOf(error).message))
      .finally(() => setBusy(false));
  };
  const previous = facts.trustedFingerprint ?? null;
  return (
    <Dialog
      title={isChange ? 'Certificate changed' : 'Unknown certificate'}
      submitLabel="Trust this certificate"
      onSubmit={trust}
      onClose={onClose}
      isDestructive
      isBusy={isBusy}
      problem={problem}
      summary={
        isChange
          ? 'The server shows another certificate than before. Ask its administrator whether it was renewed. Nothing was sent.'
          : 'Compare the fingerprint with the one that the administrator of the server tells you. Nothing was sent.'
      }
    >
      {facts.reason !== undefined && <p>{reasons[facts.reason] ?? showHidden(facts.reason)}</p>}
      <Facts
        facts={[
          ...(previous === null ? [] : [['Trusted so far', <Code key="old" text={previous} />] as const]),
          ['Fingerprint (SHA-256)', <Code key="new" text={facts.fingerprint ?? ''} />],
          ['Issued to', showHidden(facts.subject ?? '')],
          ['Issued by', showHidden(facts.issuer ?? '')],
          ['Valid from', showHidden(facts.validFrom ?? '')],
          ['Valid until', showHidden(facts.validTo ?? '')],
        ]}
      />
    </Dialog>
  );
}

function Code(props: { readonly text: string }) {
  return <span className="mono selectable">{showHidden(props.text)}</span>;
}
