import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FailedTask, ServerFacts } from '../../../contract/desktop/fleet.ts';
import { parseAddress } from '../../../main/api/address.ts';
import { networkProblem } from '../../../main/api/network-problem.ts';
import { createNewsLog } from '../../../main/desktop/news-log.ts';
import { nameOfTask } from '../../../main/desktop/running-tasks.ts';
import { createFleetNews } from '../../../main/fleet/fleet-news.ts';
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

  it('is said anew of what was kept, once another language was chosen', () => {
    speak('en');
    const news = createFleetNews();
    const log = createNewsLog(() => 0);
    const of = (tasks: FailedTask[]): ServerFacts => ({
      running: 0,
      failed: { count: tasks.length, isMore: false, tasks },
      overdue: { count: 0, runs: [] },
      nearlyFull: [],
    });
    const task = {
      id: 2,
      taskType: 'tape_label',
      resource: 'SR0001L8',
      status: 'error',
      finished: null,
      reason: 'no drive',
      isForOthers: false,
    };
    const one = { id: 'prague', name: 'Prague' };
    news.ofHealth(one, { facts: of([]) });
    for (const item of news.ofHealth(one, { facts: of([task]) })) log.add(item);
    expect(log.list()).toMatchObject([
      { title: 'Task failed on Prague', body: 'Labelling of SR0001L8: no drive' },
    ]);
    speak('ru');
    expect(log.list()).toMatchObject([
      { number: 1, title: 'Ошибка задачи на Prague', body: 'Маркировка ленты: SR0001L8: no drive' },
    ]);
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
