import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { giveElementsASize } from '../../support/drawn.tsx';
import { Refused } from '../../support/fake-bridge.ts';
import { dialog, windowTests } from '../../support/window.tsx';
import { openTasks } from './open-tasks.ts';

giveElementsASize();
windowTests();

describe('tasks by status', () => {
  const counts = { error: 12, killed: 1, obsoleted: 0 } as const;
  const counted = (input: unknown) => {
    const { status = '' } = (input as { query: { status?: string } }).query;
    return { items: [], total: counts[status as keyof typeof counts] ?? 13 };
  };
  const ids = (status: keyof typeof counts) => Array.from({ length: counts[status] }, (_, at) => at + 1);
  const openByStatus = async (remove: (input: unknown) => unknown) => {
    const view = await openTasks({ 'taskQueue.list': counted, 'taskQueue.deleteOne': remove });
    await view.user.click(await screen.findByRole('button', { name: 'Delete by status…' }));
    const form = within(await dialog('Delete tasks by status'));
    await form.findByRole('checkbox', { name: 'Error (12)' });
    return { ...view, form };
  };
  const statusOf = (input: unknown) => (input as { params: { id: keyof typeof counts } }).params.id;

  test('are deleted after it was said how many, and a second yes that another choice takes back', async () => {
    const { user, form, callsOf } = await openByStatus((input) => ({ ids: ids(statusOf(input)) }));
    const submit = form.getByRole('button', { name: 'Delete' });
    expect(submit.title).toBe('Choose a status that has tasks');
    await user.click(form.getByRole('checkbox', { name: 'Obsoleted (0)' }));
    expect(submit.title).toBe('Choose a status that has tasks');
    await user.click(form.getByRole('checkbox', { name: 'Error (12)' }));
    await user.click(form.getByRole('checkbox', { name: 'Yes, delete 12 tasks and their logs' }));
    await user.click(form.getByRole('checkbox', { name: 'Killed (1)' }));
    const sure = form.getByRole('checkbox', { name: 'Yes, delete 13 tasks and their logs' });
    expect(sure).toHaveProperty('checked', false);
    await user.click(submit);
    expect(callsOf('taskQueue.deleteOne')).toEqual([]);
    await user.click(form.getByRole('checkbox', { name: 'Obsoleted (0)' }));
    await user.click(sure);
    await user.click(submit);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('taskQueue.deleteOne').map(statusOf)).toEqual(['error', 'killed']);
    expect(await screen.findByText('13 tasks deleted.')).toBeTruthy();
  });

  test('that somebody else has deleted are no failure; what fails is told, with what is gone', async () => {
    const { user, form } = await openByStatus((input) => {
      if (statusOf(input) === 'error') throw new Refused({ message: 'None.', status: 404 });
      throw new Refused({ message: 'The catalogue is full.', status: 500 });
    });
    await user.click(form.getByRole('checkbox', { name: 'Error (12)' }));
    await user.click(form.getByRole('checkbox', { name: 'Killed (1)' }));
    await user.click(form.getByRole('checkbox', { name: /^Yes, delete/ }));
    await user.click(form.getByRole('button', { name: 'Delete' }));
    expect(await form.findByText('The catalogue is full.')).toBeTruthy();
    expect(form.getByRole('checkbox', { name: /^Yes, delete/ })).toHaveProperty('checked', false);
  });

  test('cannot be deleted without the right to it, which is named', async () => {
    await openTasks({}, ['task_queue.read']);
    const button = await screen.findByRole('button', { name: 'Delete by status…' });
    expect(button.title).toContain('task_queue.delete');
  });
});

describe('views of the tasks', () => {
  const viewsMenu = () => screen.findByRole('button', { name: /^Views/ });
  const nameIt = async (user: Awaited<ReturnType<typeof openTasks>>['user'], title: string, name: string) => {
    const form = within(await dialog(title));
    await user.clear(form.getByLabelText('Name'));
    await user.type(form.getByLabelText('Name'), `${name}{Enter}`);
    return form;
  };

  test('are saved, chosen, changed, renamed and deleted, by the keyboard too', async () => {
    const { user, settings, callsOf } = await openTasks({});
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'error');
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Save as view…' }));
    await nameIt(user, 'Save view', 'Failed');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(settings().views.Tasks).toMatchObject([{ name: 'Failed', filters: { status: 'error' } }]);

    (await viewsMenu()).focus();
    await user.keyboard('{Enter}');
    await user.click(await screen.findByRole('menuitem', { name: 'All rows, as made' }));
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveProperty('value', '');
    (await viewsMenu()).focus();
    await user.keyboard('{Enter}{Enter}');
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: 'Status' })).toHaveProperty('value', 'error'),
    );
    expect((await viewsMenu()).getAttribute('aria-label')).toBe('Views: Failed');
    // The list is asked for a moment after the last change.
    await waitFor(() =>
      expect(callsOf('taskQueue.list').at(-1)).toMatchObject({ query: { status: 'error' } }),
    );

    await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), 'restore');
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Save changes to view' }));
    await waitFor(() =>
      expect(settings().views.Tasks?.[0]?.filters).toEqual({ status: 'error', task_type: 'restore' }),
    );

    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Rename view…' }));
    await nameIt(user, 'Rename view', 'Failed restores');
    await waitFor(() => expect(settings().views.Tasks?.map(({ name }) => name)).toEqual(['Failed restores']));

    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.click(await viewsMenu());
    await user.click(await screen.findByRole('menuitem', { name: 'Delete view…' }));
    const sure = within(await dialog('Delete view'));
    expect(sure.getByText('Failed restores')).toBeTruthy();
    await user.click(sure.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(settings().views.Tasks).toEqual([]));
  });

  test('with a name that is taken are refused at the field', async () => {
    const { user, settings } = await openTasks({});
    for (const name of ['Mine', 'mine']) {
      await user.click(await viewsMenu());
      await user.click(await screen.findByRole('menuitem', { name: 'Save as view…' }));
      await nameIt(user, 'Save view', name);
      if (name === 'Mine') await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }
    expect(await screen.findByText('Name is taken by another view')).toBeTruthy();
    expect(settings().views.Tasks).toHaveLength(1);
  });
});
