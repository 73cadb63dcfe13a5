import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { LaterPart, later } from '../../../renderer/ui/index.ts';
import '../support/patience.ts';

afterEach(cleanup);

function Hello({ name }: { readonly name: string }) {
  return <p>Hello {name}</p>;
}

test('what is there already is drawn at once, without a fallback before it', async () => {
  const part = later(async () => Hello);
  await part.bring();
  render(<LaterPart part={part} given={{ name: 'Anna' }} />);
  expect(screen.getByText('Hello Anna')).toBeTruthy();
});

test('what is not there is brought when it is drawn, once for all who draw it', async () => {
  let brought = 0;
  const part = later(async () => {
    brought += 1;
    return Hello;
  });
  render(
    <>
      <LaterPart part={part} given={{ name: 'Anna' }} />
      <LaterPart part={part} given={{ name: 'Boris' }} />
    </>,
  );
  expect(screen.queryByText('Hello Anna')).toBeNull();
  await screen.findByText('Hello Anna');
  await screen.findByText('Hello Boris');
  expect(brought).toBe(1);
});

test('what cannot be loaded says so and is tried again', async () => {
  let tries = 0;
  const part = later(async () => {
    tries += 1;
    if (tries === 1) throw new Error('the file is gone');
    return Hello;
  });
  render(<LaterPart part={part} given={{ name: 'Anna' }} />);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('the file is gone');
  await userEvent.setup().click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('Hello Anna');
  expect(screen.queryByRole('alert')).toBeNull();
});
