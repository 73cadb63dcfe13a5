import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAddress } from '../../../main/api/address.ts';
import { networkProblem } from '../../../main/api/network-problem.ts';
import { nameOfTask } from '../../../main/desktop/running-tasks.ts';
import { missingBackend } from '../../../main/local-backend/exit-reasons.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { speak } from '../../../main/texts/index.ts';
import { quitQuestion } from '../../../main/window/close-rules.ts';
import { trayStateOf } from '../../../main/window/tray-state.ts';

beforeEach(() => speak('ru'));
afterEach(() => speak('en'));

describe('what main says in Russian', () => {
  it('counts the tasks before quitting', () => {
    const questions = [1, 3, 5].map((count) => quitQuestion(Array(count).fill('x'))?.message);
    expect(questions).toEqual([
      'На этом компьютере выполняется 1 задача. Всё равно завершить?',
      'На этом компьютере выполняются 3 задачи. Всё равно завершить?',
      'На этом компьютере выполняется 5 задач. Всё равно завершить?',
    ]);
    const task = { task_type: 'verify', resource: '/srv', status: 'execution' };
    expect(nameOfTask(task)).toBe('Проверка: /srv');
    expect(nameOfTask({ task_type: 'toString' })).toBe('Резервное копирование');
  });

  it('is in the tray', () => {
    expect(trayStateOf([], []).summary).toBe('подключений ещё нет');
  });

  it('keeps kind and code of a problem, and says the rest in the language of the moment', () => {
    const failed = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const russian = networkProblem(failed, 'https://a');
    expect(russian.message).toBe('По этому адресу никто не отвечает. Работает ли сервер и верен ли порт?');
    speak('en');
    const english = networkProblem(failed, 'https://a');
    expect(english.message).toBe(
      'Nothing listens at this address. Is the server running, and the port right?',
    );
    expect({ ...russian, message: '' }).toEqual({ ...english, message: '' });
  });

  it('shows what the system said as it is', () => {
    expect(networkProblem(new Error('odd {{detail}} $t(x)'), 'https://a').message).toBe(
      'Сервер недоступен (odd {{detail}} $t(x)).',
    );
    expect(missingBackend('spawn ENOENT').reason).toMatch(/^Программа .* \(spawn ENOENT\)$/);
  });

  it('is whole at a field, without the label before it', () => {
    const refusal = (() => {
      try {
        return parseAddress('ftp://a');
      } catch (error) {
        return problemOf(error);
      }
    })();
    expect(refusal).toMatchObject({ code: 'address', errors: { address: 'Должен начинаться с https://' } });
  });
});
