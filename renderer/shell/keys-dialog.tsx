import { t, textsOf } from '../texts/index.ts';
import { Dialog } from '../ui/index.ts';

const words = textsOf('keys');
const { meanings } = words;

const keys = [
  ['Ctrl+K', meanings.palette],
  ['/', meanings.search],
  ['↑ ↓', meanings.move],
  ['J K', meanings.moveInList],
  [words.space, meanings.select],
  ['Shift+↑ ↓', meanings.range],
  ['Ctrl+A', meanings.all],
  ['Enter', meanings.open],
  ['Esc', meanings.close],
  ['Alt+←, Alt+→', meanings.history],
  ['R, P', meanings.tasks],
  [words.menuKey, meanings.menu],
  ['F5', meanings.reload],
  ['Ctrl+,', meanings.preferences],
  ['?', meanings.sheet],
] as const;

export function KeysDialog(props: { readonly onClose: () => void }) {
  return (
    <Dialog
      title={words.title}
      submitLabel={t('common.close')}
      cancelLabel={null}
      onSubmit={props.onClose}
      onClose={props.onClose}
    >
      <dl className="facts">
        {keys.map(([key, meaning]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
