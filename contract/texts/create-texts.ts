import i18next from 'i18next';
import type { Language } from '../desktop/languages.ts';

/** Texts by name; a name may hold more texts. A text that counts has one entry for each form: `copies_one`, `copies_other`. */
export interface Texts {
  readonly [name: string]: string | Texts;
}

type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
type WithoutForm<Name extends string> = Name extends `${infer Stem}_${PluralForm}` ? Stem : Name;

/** The names of all single texts: `tasks.actions.kill`; a text that counts goes by its stem. */
export type TextName<T> = {
  [Name in keyof T & string]: T[Name] extends string ? WithoutForm<Name> : `${Name}.${TextName<T[Name]>}`;
}[keyof T & string];

/** What goes into a text for its `{{name}}`; `count` also chooses the plural form. */
export type TextValues = Readonly<Record<string, string | number>> & { readonly count?: number };

/** The same names in another language; its plural forms are its own, so that a test compares them (not the compiler). */
export type Translated<T> = {
  readonly [Name in keyof T as Name extends `${string}_${PluralForm}` ? never : Name]: T[Name] extends string
    ? string
    : Translated<T[Name]>;
} & { readonly [Name in `${string}_${PluralForm}`]?: string };

export interface TextSource<T> {
  readonly language: Language;
  /** One text in the language of the window. A name that is missing there is taken from English. */
  readonly t: (name: TextName<T>, values?: TextValues) => string;
  /** All texts below a name, for tables of words that are looked up by a value of a server. */
  readonly textsOf: <Name extends keyof T & string>(name: Name) => T[Name];
}

/**
 * The texts of a room in one language, through i18next. Values are put in as they are: React and Electron's menus show
 * them as text, and a value that looks like a reference (`$t(…)`) or a placeholder stays what it is.
 */
export function createTexts<T extends Texts>(all: {
  readonly language: Language;
  readonly en: T;
  /** Null where it is not spoken. */
  readonly ru: Translated<T> | null;
}): TextSource<T> {
  const instance = i18next.createInstance();
  instance
    .init({
      lng: all.language,
      fallbackLng: 'en',
      resources: { en: { translation: all.en }, ...(all.ru === null ? {} : { ru: { translation: all.ru } }) },
      initAsync: false,
      interpolation: { escapeValue: false, skipOnVariables: true },
    })
    .catch((error: unknown) => {
      throw error;
    });
  // The library's own one is made anew, and kept for ever, for each set of values that a text is given.
  instance.services.formatter?.add('number', numberText);
  // The library copies the whole of what is asked for, which would be felt in each row of a table.
  const kept = new Map<string, unknown>();
  return {
    language: all.language,
    t: (name, values) => instance.t(name as string, values ?? {}),
    textsOf: (name) => {
      const known = kept.get(name) ?? instance.t(name, { returnObjects: true });
      kept.set(name, known);
      return known as T[typeof name];
    },
  };
}

const numbers = new Map<string, Intl.NumberFormat>();

function numberText(value: number, language: string | undefined): string {
  const known = numbers.get(language ?? '');
  const format = known ?? new Intl.NumberFormat(language);
  if (known === undefined) numbers.set(language ?? '', format);
  return format.format(value);
}

/** The word for a value that a server sent; one that is not known is shown as it is. */
export function wordFor(words: object, value: string): string {
  const word: unknown = Object.hasOwn(words, value) ? Reflect.get(words, value) : undefined;
  return typeof word === 'string' ? word : value;
}
