import { useStore } from 'zustand';
import type { LocalBackendState } from '../../../contract/desktop/local-backend.ts';
import { call, command } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { useRights } from '../../shell/rights.ts';
import { goTo, shell } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';

const words = textsOf('localBackend');

/** What it is set to, and where that is changed. */
export function SettingsSection(props: { readonly connectionId: string; readonly state: LocalBackendState }) {
  const { connectionId, state } = props;
  const reasonFor = useRights(connectionId);
  const isService = useStore(
    shell,
    ({ connections }) => connections.find(({ id }) => id === connectionId)?.state.serviceMode ?? null,
  );
  const port = state.url === null ? null : new URL(state.url).port;
  const mode = isService === true ? words.serviceOn : words.serviceOff;
  const setService = async (isOn: boolean): Promise<void> => {
    await call(connectionId, 'configuration.serviceMode', { body: { service_mode: isOn } });
    // What the connection knows of its server is asked again.
    await command('connections.retry', { connectionId });
  };
  return (
    <section className="page-section" aria-label={words.settings}>
      <h2>{words.settings}</h2>
      <Facts
        facts={[
          [words.port, port === null ? words.portNext : t('localBackend.portText', { port })],
          [words.reach, words.reachText],
          [words.serviceMode, isService === null ? null : mode],
        ]}
      />
      <div className="toolbar-actions">
        <Button
          onClick={() => tellFailure(setService(isService !== true))}
          disabledBecause={reasonFor('service_mode.write')}
        >
          {isService === true ? words.leaveService : words.enterService}
        </Button>
        <Button onClick={() => goTo({ connectionId, section: 'Configuration' })}>
          {words.openConfiguration}
        </Button>
      </div>
    </section>
  );
}
