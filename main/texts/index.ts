import type { Language } from '../../contract/desktop/languages.ts';
import { createTexts, type TextName, type TextValues } from '../../contract/texts/create-texts.ts';
import { en } from './en.ts';
import { ru } from './ru.ts';

export type Name = TextName<typeof en>;

let source = createTexts({ language: 'en', en, ru });

/** From here on main speaks this language: menus, tray, notices and native dialogs that are made later. */
export function speak(language: Language): void {
  if (language === source.language) return;
  source = createTexts({ language, en, ru });
}

export function t(name: Name, values?: TextValues): string {
  return source.t(name, values);
}

/** What the connection to this computer is called by itself: a name that was kept is still known after a change of language. */
export const namesOfThisComputer: readonly string[] = [en, ru].map(
  ({ connections }) => connections.thisComputer,
);
