import { Dialog } from '../ui/index.ts';

const keys = [
  ['Ctrl+K', 'Go to anything'],
  ['/', 'Search in the list'],
  ['↑ ↓, J K', 'Move in a list or tree'],
  ['Space', 'Select or tick'],
  ['Shift+↑ ↓', 'Select a range'],
  ['Ctrl+A', 'Select all that is loaded'],
  ['Enter', 'Open'],
  ['Esc', 'Close'],
  ['Alt+←, Alt+→', 'Back, forward'],
  ['R, P', 'Restart, pause the selected tasks'],
  ['Shift+F10, Menu', 'What can be done with the row or column'],
  ['F5', 'Load again'],
  ['Ctrl+,', 'Preferences'],
  ['?', 'This sheet'],
] as const;

export function KeysDialog(props: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Keyboard shortcuts"
      submitLabel="Close"
      cancelLabel={null}
      onSubmit={props.onClose}
      onClose={props.onClose}
    >
      <dl className="facts">
        {keys.map(([key, meaning]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt className="mono">{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
