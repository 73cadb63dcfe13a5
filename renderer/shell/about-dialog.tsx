import { useStore } from 'zustand';
import { t, textsOf } from '../texts/index.ts';
import { Dialog, showHidden } from '../ui/index.ts';
import { Facts } from './facts.tsx';
import { copyText } from './keys.ts';
import { shell } from './shell-store.ts';

const words = textsOf('shell').about;

/** What a report of a problem needs to say about the program. */
export function AboutDialog(props: { readonly onClose: () => void }) {
  const info = useStore(shell, (state) => state.info);
  const facts: readonly (readonly [string, string])[] =
    info === null
      ? []
      : [
          [words.version, info.version],
          ['Electron', info.electron],
          ['Chromium', info.chrome],
          ['Node.js', info.node],
          [words.system, info.platform],
          [words.settings, info.home],
          [words.keychain, words.keychainStates[info.keychain]],
        ];
  return (
    <Dialog
      title={words.title}
      submitLabel={words.copy}
      cancelLabel={t('common.close')}
      summary={words.help}
      onSubmit={() => {
        copyText(facts.map(([name, value]) => `${name}: ${value}`).join('\n'));
        props.onClose();
      }}
      onClose={props.onClose}
    >
      <Facts facts={facts.map(([name, value]) => [name, showHidden(value)])} />
    </Dialog>
  );
}
