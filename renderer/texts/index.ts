import { type Language, languages } from '../../contract/desktop/languages.ts';
import { createTexts, type TextName, type TextValues } from '../../contract/texts/create-texts.ts';
import { en } from './en/index.ts';

// The language is the page's: main writes it into the page when it is loaded, and a change loads the page again. So a
// text may be taken anywhere, also where a module is read. English is always there, for what another language has not got;
// another one is read by the windows that speak it.

const chosen = pageLanguage();
const ru = chosen === 'ru' ? (await import('./ru/index.ts')).ru : null;
const source = createTexts({ language: chosen, en, ru });

export type Name = TextName<typeof en>;
export const { language, t, textsOf } = source;
/** For what `Intl` writes: figures and days of the week. */
export const locale = { en: 'en-US', ru: 'ru-RU' }[language];
export { wordFor } from '../../contract/texts/create-texts.ts';
export type { TextValues };

function pageLanguage(): Language {
  const tag = typeof document === 'undefined' ? 'en' : document.documentElement.lang;
  return languages.find((one) => one === tag) ?? 'en';
}
