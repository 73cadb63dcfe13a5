import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LaterPart, later, PartBoundary } from '../../../renderer/ui/index.ts';
import '../support/patience.ts';

// React tells of what a boundary catches on the console.
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

let isBroken = true;
function Brittle() {
  if (isBroken) throw new Error('no list of an answer');
  return <p>mended</p>;
}

test('a part that fails says so and leaves the rest of the window; it can be tried again', async () => {
  isBroken = true;
  render(
    <>
      <p>the rest</p>
      <PartBoundary of="part">
        <Brittle />
      </PartBoundary>
    </>,
  );
  expect(screen.getByText('the rest')).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('no list of an answer');
  isBroken = false;
  await userEvent.setup().click(screen.getByRole('button', { name: 'Retry' }));
  expect(screen.getByText('mended')).toBeTruthy();
});

test('the screen that follows a failed one is drawn', async () => {
  isBroken = true;
  const broken = later(async () => Brittle);
  const good = later(async () => () => <p>good</p>);
  await Promise.all([broken.bring(), good.bring()]);
  const { rerender } = render(<LaterPart part={broken} given={{}} />);
  expect(screen.getByRole('alert')).toBeTruthy();
  rerender(<LaterPart part={good} given={{}} />);
  expect(screen.getByText('good')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});
