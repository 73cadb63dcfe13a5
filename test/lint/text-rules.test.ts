import { expect, test } from 'vitest';
import { parseSource } from '../../lint/source-file.ts';
import { checkTexts } from '../../lint/text-rules.ts';

const shell = 'renderer/shell/a.tsx';

const allowed: readonly (readonly [string, string])[] = [
  [shell, `export const A = () => <p>{t('shell.about.title')}</p>;`],
  [shell, `export const A = () => <p>{name}, {count} · –</p>;`],
  [shell, `export const A = () => <p className="badge muted" data-tab="List of tasks" />;`],
  [shell, `export const A = () => <p aria-label={t('a.b')} title={name} />;`],
  [shell, `export const action = { id: 'Show all', label: t('a.b'), run };`],
  [shell, `export const A = () => <p>{isUp ? 'ascending' : 'descending'}</p>;`],
  ['renderer/texts/en/shell.ts', `export const shell = { title: 'About Strongroom' };`],
  ['renderer/texts/rich.tsx', `export const A = () => <p>Some words</p>;`],
  [shell, `export const A = () => <p className={isOn ? 'badge is on' : 'badge'}>{' '}</p>;`],
  ['main/window/menu.ts', `export const item = { label: t('menu.quit'), role: 'undo', id: 'the menu' };`],
  ['main/window/main-window.ts', `export const options = { title: 'Strongroom' };`],
  ['main/texts/en/menu.ts', `export const menu = { title: 'Quit' };`],
  ['backend/http/page.ts', `export const page = { title: 'The page' };`],
];

const ofMain: readonly (readonly [string, string])[] = [
  [`export const item = { label: 'Quit' };`, 'Quit'],
  [`throw new ProblemError({ kind: 'local', message: \`No \${name}\` });`, 'No'],
  [`export const notice = { body: 'It does not answer' };`, 'It does not answer'],
];

const refused: readonly (readonly [string, string, string])[] = [
  ['a child of an element', `export const A = () => <p>Nothing runs</p>;`, 'Nothing runs'],
  ['a child in another language', `export const A = () => <p>Всё в порядке</p>;`, 'Всё в порядке'],
  ['a spoken attribute', `export const A = () => <p aria-label="Sections" />;`, 'Sections'],
  ['a spoken attribute in braces', `export const A = () => <p title={'Time of it'} />;`, 'Time of it'],
  ['a template in an attribute', `export const A = () => <p title={\`Show \${name}\`} />;`, 'Show'],
  ['a spoken property', `export const column = { header: 'Name', widthPx: 80 };`, 'Name'],
  ['a spoken property by its text', `export const column = { 'aria-label': 'Name' };`, 'Name'],
  ['a template in a property', `export const action = { label: \`Kill \${count}\` };`, 'Kill'],
  ['a child in braces', `export const A = () => <p>{'Not yet'}</p>;`, 'Not yet'],
  ['a child that is a template', `export const A = () => <p>{\`\${count} copies\`}</p>;`, 'copies'],
  ['a condition in an attribute', `export const A = () => <p title={a ? 'It is on' : b} />;`, 'It is on'],
  ['one side of a condition', `export const A = () => <p>{done ? t('a.b') : 'Not yet'}</p>;`, 'Not yet'],
];

test.each(allowed)('%s may say %s', (path, text) => {
  expect(checkTexts(parseSource(path, text))).toEqual([]);
});

test.each(refused)('%s is a text for people', (_what, text, words) => {
  expect(checkTexts(parseSource(shell, text))).toEqual([
    { path: shell, line: 1, message: expect.stringContaining(`"${words}" is a text for people`) },
  ]);
});

test.each(ofMain)('main may not say %s', (text, words) => {
  expect(checkTexts(parseSource('main/a.ts', text))).toEqual([
    {
      path: 'main/a.ts',
      line: 1,
      message: expect.stringContaining(`"${words}" is a text for people: it belongs to main/texts`),
    },
  ]);
});
