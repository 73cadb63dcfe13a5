import { expect, test } from 'vitest';
import { refusalFor } from '../../../renderer/shell/use-submit.ts';

const refused = (message: string, errors: Record<string, string>) =>
  ({ kind: 'refused', status: 400, message, errors }) as const;

test('a field named by its way into the body is the field of the dialog', () => {
  const problem = refused('Please correct the marked fields.', {
    'task.resource': 'must be absolute',
    'task.pool': 'is unknown',
  });
  expect(refusalFor(problem, ['resource', 'pool'])).toEqual({
    message: 'Please correct the marked fields.',
    errors: { resource: 'must be absolute', pool: 'is unknown' },
  });
});

test('names of fields that a person does not know give way', () => {
  const problem = refused('Please correct the field restore_task.destination_path.', {
    'restore_task.destination_path': 'must be absolute',
  });
  expect(refusalFor(problem, ['destination_path']).message).toBe('Please correct what is marked.');
});

test('a reason that belongs to no field of the dialog is told all the same', () => {
  const problem = refused('The task cannot start.', { 'task.priority': 'must be 1 or more' });
  expect(refusalFor(problem, ['resource']).message).toBe(
    'The task cannot start. task.priority must be 1 or more.',
  );
});

test('a message without fields stays as it is', () => {
  expect(refusalFor({ kind: 'unreachable', message: 'No answer.' }, ['resource'])).toEqual({
    message: 'No answer.',
    errors: {},
  });
});

test('a dialog that does not name its fields shows the message as it came', () => {
  const problem = refused('user_name or password is wrong.', { user_name: 'is wrong' });
  expect(refusalFor(problem, null).message).toBe('user_name or password is wrong.');
});
