import type { Translated } from '../../contract/texts/create-texts.ts';
import type { en } from './en.ts';
import { dialogs, news, quit, sandbox, tasks } from './ru/desktop.ts';
import { bundle, files, keychain, transfer } from './ru/files.ts';
import { menu, tray } from './ru/menu.ts';
import { reasons } from './ru/reasons.ts';
import { address, answers, backend, calls, certificate, connections, network, signIn } from './ru/servers.ts';
import { tlsFiles } from './ru/tls-files.ts';
import { updates } from './ru/updates.ts';

export const ru: Translated<typeof en> = {
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
};
