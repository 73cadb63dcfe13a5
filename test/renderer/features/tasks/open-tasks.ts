import { screen, within } from '@testing-library/react';
import { connection } from '../../support/fake-bridge.ts';
import { openWindow } from '../../support/window.tsx';
import { page, pool } from '../rows.ts';

export const permissions = [
  'task_queue.read',
  'task_queue.write',
  'task_queue.delete',
  'tasks.run',
  'pools.read',
];
let made = 0;

/** Each test has a server of its own, since lists are kept by connection. */
export async function openTasks(
  answers: Parameters<typeof openWindow>[0],
  rights: readonly string[] = permissions,
  extensions: readonly string[] = [],
  /** Null: the window begins there by itself. */
  link: string | null = 'Tasks',
) {
  made += 1;
  const one = connection({ id: `server-${made}` }, { permissions: [...rights], extensions: [...extensions] });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'pools.list': page(pool(1, { pool_name: 'Default' })),
    'clients.list': page({ id: 1, client_name: 'here (abc)', modules: ['File system'] }),
    'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    'tasks.clientLog': page(),
    'tasks.serverLog': page(),
    ...answers,
  });
  if (link !== null) await view.user.click(screen.getByRole('link', { name: link }));
  return view;
}

export const row = (text: string) => screen.findByRole('row', { name: new RegExp(text) });
export const action = (name: string) =>
  within(screen.getByRole('toolbar', { name: 'Task actions' })).getByRole('button', { name });
