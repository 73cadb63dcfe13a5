import { describe, expect, it, vi } from 'vitest';
import { languageFor } from '../../../contract/desktop/languages.ts';
import { createTexts, type Texts, wordFor } from '../../../contract/texts/create-texts.ts';
import { en as mainEn } from '../../../main/texts/en.ts';
import { ru as mainRu } from '../../../main/texts/ru.ts';
import { en as windowEn } from '../../../renderer/texts/en/index.ts';
import { ru as windowRu } from '../../../renderer/texts/ru/index.ts';

const form = /_(zero|one|two|few|many|other)$/;
const forms = { en: ['one', 'other'], ru: ['few', 'many', 'one'] } as const;

function flat(texts: Texts, above = ''): readonly [string, string][] {
  return Object.entries(texts).flatMap(([name, text]): readonly [string, string][] =>
    typeof text === 'string' ? [[above + name, text]] : flat(text, `${above}${name}.`),
  );
}

/** By name without its form: the forms that are there. */
function namesOf(texts: Texts): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const [name] of flat(texts)) {
    const stem = name.replace(form, '');
    const found = form.exec(name)?.[1];
    names.set(stem, [...(names.get(stem) ?? []), ...(found === undefined ? [] : [found])].sort());
  }
  return names;
}

const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1] ?? ''))].sort();

describe.each([
  ['window', windowEn as Texts, windowRu as Texts],
  ['main', mainEn as Texts, mainRu as Texts],
])('the texts of %s', (_room, en, ru) => {
  const [english, russian] = [namesOf(en), namesOf(ru)];

  it('have the same names in both languages', () => {
    expect([...russian.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('have every plural form that their language knows', () => {
    const bad = (names: ReadonlyMap<string, readonly string[]>, wanted: readonly string[]) =>
      [...names].filter(([, found]) => found.length > 0 && found.join() !== wanted.join());
    expect(bad(english, forms.en)).toEqual([]);
    expect(bad(russian, forms.ru)).toEqual([]);
  });

  it('are texts, and hold the same placeholders in both languages', () => {
    const inEnglish = new Map(flat(en).map(([name, text]) => [name.replace(form, ''), text]));
    const different = flat(ru).filter(([name, text]) => {
      const other = inEnglish.get(name.replace(form, '')) ?? '';
      const [here, there] = [placeholders(text), placeholders(other)];
      // "One copy" may do without its number.
      const may = (all: readonly string[]) => all.filter((one) => one !== 'count').join();
      return text.trim() === '' || may(here) !== may(there);
    });
    expect(different).toEqual([]);
    expect(flat(en).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('are Russian in Russian', () => {
    const words = (text: string) => text.replaceAll(/\{\{.*?\}\}/g, '');
    const same = flat(ru).filter(
      ([, text]) => /[a-z]{3}/i.test(words(text)) && !/[а-яё]/i.test(text) && !sameInBoth.has(text),
    );
    expect(same).toEqual([]);
  });
});

/** Names of programs, formats and units are the same words everywhere. */
const sameInBoth: ReadonlySet<string> = new Set(['English', 'Strongroom']);

describe('a text', () => {
  const texts = createTexts({
    language: 'ru',
    en: {
      copies_one: '{{count, number}} copy',
      copies_other: '{{count, number}} copies',
      only: 'only',
      hello: '{{name}}!',
    },
    ru: {
      copies_one: '{{count, number}} копия',
      copies_few: '{{count, number}} копии',
      copies_many: '{{count, number}} копий',
      only: 'только',
      hello: '{{name}}!',
    },
  });

  it('counts as its language does', () => {
    const said = [0, 1, 2, 5, 11, 21, 22, 1234].map((count) => texts.t('copies', { count }));
    expect(said.map((one) => one.replaceAll('\u00a0', ' '))).toEqual([
      '0 копий',
      '1 копия',
      '2 копии',
      '5 копий',
      '11 копий',
      '21 копия',
      '22 копии',
      '1 234 копии',
    ]);
  });

  it('shows a hostile value as it is', () => {
    const name = '$t(only) {{count}} <b>&amp;</b>';
    expect(texts.t('hello', { name })).toBe(`${name}!`);
  });

  it('with figures makes one format for all of them, however many rows of a table are drawn', () => {
    const say = createTexts({ language: 'en', en: { of: '{{name}}: {{count, number}}' }, ru: null });
    const made = vi.spyOn(Intl, 'NumberFormat');
    try {
      const said = Array.from({ length: 50 }, (_, row) =>
        say.t('of', { name: `row ${row}`, count: 1000 + row }),
      );
      expect(said.at(-1)).toBe('row 49: 1,049');
      expect(made.mock.calls.length).toBeLessThanOrEqual(1);
    } finally {
      made.mockRestore();
    }
  });

  it('for a value of a server is the value when there is no word for it', () => {
    const words = { done: 'готово' };
    expect(['done', 'odd', '__proto__', 'constructor'].map((value) => wordFor(words, value))).toEqual([
      'готово',
      'odd',
      '__proto__',
      'constructor',
    ]);
  });
});

describe('the language', () => {
  it.each([
    ['system', ['ru-RU', 'en-US'], 'ru'],
    ['system', ['de-DE', 'ru'], 'ru'],
    ['system', ['de-DE'], 'en'],
    ['system', [], 'en'],
    ['en', ['ru-RU'], 'en'],
    ['ru', ['en'], 'ru'],
  ] as const)('chosen %s where the system prefers %j is %s', (chosen, preferred, language) => {
    expect(languageFor(chosen, preferred)).toBe(language);
  });
});
