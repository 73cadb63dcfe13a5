import { useState } from 'react';
import type { JoinToken } from '../../../contract/clients/client.ts';
import { call } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { copyText } from '../../shell/keys.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { useSubmit } from '../../shell/use-submit.ts';
import { textsOf } from '../../texts/index.ts';
import { Dialog, showHidden } from '../../ui/index.ts';

const { joinToken: words } = textsOf('clients');
const common = textsOf('common');

/** Makes what an agent joins with. It is shown here and nowhere again: the server keeps no more than its hash. */
export function JoinTokenDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const [made, setMade] = useState<JoinToken | null>(null);
  const { isBusy, problem, submit } = useSubmit(
    async () => setMade(await call(connectionId, 'clients.createJoinToken', {})),
    () => undefined,
  );
  if (made === null) {
    return (
      <Dialog
        title={words.title}
        submitLabel={words.make}
        onSubmit={submit}
        onClose={onClose}
        isBusy={isBusy}
        problem={problem}
        summary={words.summary}
      >
        <p>{words.what}</p>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={words.title}
      submitLabel={words.copy}
      cancelLabel={common.close}
      onSubmit={() => {
        copyText(made.token);
        onClose();
      }}
      onClose={onClose}
      summary={words.once}
    >
      <Facts
        facts={[
          [
            words.token,
            <span key="token" className="mono">
              {showHidden(made.token)}
            </span>,
          ],
          [words.validUntil, serverTime(made.expires)],
        ]}
      />
    </Dialog>
  );
}
