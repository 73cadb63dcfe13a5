import { afterEach, expect, it } from 'vitest';
import { api } from '../../../contract/api.ts';
import { buildRequest } from '../../../main/api/request.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { en } from '../../../main/texts/en.ts';
import { speak } from '../../../main/texts/index.ts';
import { reasonText } from '../../../main/texts/reason-text.ts';

afterEach(() => speak('en'));

const filled = Object.values(en.reasons).map((text) => text.replaceAll(/\{\{\w+\}\}/g, '`x` 17'));

it.each(filled)('%s is the same in English and another text in Russian', (reason) => {
  expect(reasonText(reason)).toBe(reason);
  speak('ru');
  expect(reasonText(reason)).toMatch(/^[А-ЯЁ0`]/);
});

it.each([
  ['must not be empty', 'Нужно заполнить'],
  ['must be a whole number from 1 to 500', 'Нужно целое число от 1 до 500'],
  ['must be a whole number of files from 1 to 20', 'Нужно целое число (files) от 1 до 20'],
  ['must be `copy` or `move`', '`copy` или `move`'],
  ['must be 8388607 GB at most', 'Не больше 8388607 GB'],
  ['must be an absolute path, like `/srv/data`', 'Нужен абсолютный путь, например `/srv/data`'],
])('%s is %s', (reason, russian) => {
  speak('ru');
  expect(reasonText(reason)).toBe(russian);
});

it.each(['must not be empty, ever', 'strange', '', 'must be $t(x) {{y}}'])(
  'a reason that is not known stays: %j',
  (reason) => {
    speak('ru');
    expect(reasonText(reason)).toBe(reason);
  },
);

it('a refusal before anything is sent says its reasons in the language of the moment', () => {
  speak('ru');
  const refusal = (() => {
    try {
      return buildRequest(api['clients.list'], { query: { page: 0, limit: 10 } });
    } catch (error) {
      return problemOf(error);
    }
  })();
  expect(refusal).toMatchObject({
    code: 'input',
    message: 'Исправьте поле page.',
    errors: { page: expect.stringMatching(/^[А-Я]/) },
  });
});
