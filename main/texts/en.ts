import { dialogs, news, quit, sandbox, tasks } from './en/desktop.ts';
import { bundle, files, keychain, transfer } from './en/files.ts';
import { menu, tray } from './en/menu.ts';
import { reasons } from './en/reasons.ts';
import { address, answers, backend, calls, certificate, connections, network, signIn } from './en/servers.ts';
import { tlsFiles } from './en/tls-files.ts';
import { updates } from './en/updates.ts';

export const en = {
  menu,
  tray,
  quit,
  sandbox,
  tasks,
  news,
  dialogs,
  backend,
  certificate,
  network,
  answers,
  calls,
  signIn,
  address,
  connections,
  keychain,
  files,
  bundle,
  transfer,
  tlsFiles,
  updates,
  reasons,
} as const;
