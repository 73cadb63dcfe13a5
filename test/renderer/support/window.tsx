import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach } from 'vitest';
import { App } from '../../../renderer/app.tsx';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { installBridge } from './fake-bridge.ts';
import './patience.ts';

/** The whole window over a fake main; each test begins with a new one. */
export function windowTests(): void {
  afterEach(() => {
    cleanup();
    shell.setState(shell.getInitialState(), true);
  });
}

export async function openWindow(answers: Parameters<typeof installBridge>[0] = {}) {
  const bridge = installBridge(answers);
  const user = userEvent.setup();
  const view = render(<App />);
  // A dialog that opens at once hides the rest from whoever asks by role.
  await screen.findByRole('main', { hidden: true });
  return { ...bridge, user, view };
}

export const dialog = (name: string) => screen.findByRole('dialog', { name });
