import { Fragment, useState } from 'react';
import { problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { textsOf, wordFor } from '../../texts/index.ts';
import { Dialog, showHidden } from '../../ui/index.ts';

const words = textsOf('connections').certificate;

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
      title={isChange ? words.changed : words.unknown}
      submitLabel={words.trust}
      onSubmit={trust}
      onClose={onClose}
      isDestructive
      isBusy={isBusy}
      problem={problem}
      summary={isChange ? words.changedHelp : words.unknownHelp}
    >
      {facts.reason !== undefined && <p>{showHidden(wordFor(words.reasons, facts.reason))}</p>}
      <Facts
        facts={[
          ...(previous === null ? [] : [[words.trustedSoFar, <Code key="old" text={previous} />] as const]),
          [words.fingerprint, <Code key="new" text={facts.fingerprint ?? ''} />],
          [words.subject, showHidden(facts.subject ?? '')],
          [words.issuer, showHidden(facts.issuer ?? '')],
          [words.validFrom, showHidden(facts.validFrom ?? '')],
          [words.validTo, showHidden(facts.validTo ?? '')],
        ]}
      />
    </Dialog>
  );
}

/** Lines of eight bytes, so that two of them are compared line by line; copied, it is one piece. */
function Code(props: { readonly text: string }) {
  const groups = showHidden(props.text).match(/([^:]*:){1,8}|[^:]+$/g) ?? [];
  return (
    <span className="mono selectable">
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of one text never move
        <Fragment key={at}>
          {group}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
