import { isNearlyFull } from '../../../contract/desktop/health.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { forecastText } from '../../shell/pool-fill.tsx';
import type { Forecast } from '../../shell/pool-forecast.ts';
import { ServerTime } from '../../shell/server-time.tsx';
import { taskMeaning, taskPercent, taskStatusText, taskTypeWord } from '../../shell/task-words.ts';
import { t } from '../../texts/index.ts';
import { cutMiddle, formatBytes, MeaningIcon, Progress, StatusBadge, showHidden } from '../../ui/index.ts';
import { filledPercent } from './overview-facts.ts';

export function RunningTask(props: { readonly task: Task }) {
  const { task } = props;
  return (
    <li>
      <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
      <span className="grow">
        {taskTypeWord(task.task_type)} <Resource text={task.resource} most={70} />
      </span>
      <span style={{ width: 160 }}>
        <Progress label={t('overview.progressOf', { id: task.id })} percent={taskPercent(task)} />
      </span>
    </li>
  );
}

export function FailedTask(props: { readonly task: Task }) {
  const { task } = props;
  const reason = showHidden(task.error_message ?? '');
  return (
    <li>
      <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
      <span className="grow" title={reason}>
        {taskTypeWord(task.task_type)} <Resource text={task.resource} most={50} /> {reason}
      </span>
      <span className="muted">
        <ServerTime text={task.finished} />
      </span>
    </li>
  );
}

export function NewCopy(props: { readonly copy: Copy }) {
  const { copy } = props;
  return (
    <li>
      <span className="line-state">
        <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
      </span>
      <span className="grow">
        <Resource text={copy.resource} most={80} />
      </span>
      <span>{formatBytes(copy.size)}</span>
      <span className="muted">
        <ServerTime text={copy.created} />
      </span>
    </li>
  );
}

export function PoolFill(props: { readonly pool: Pool; readonly forecast: Forecast | null }) {
  const { pool, forecast } = props;
  const percent = filledPercent(pool);
  const isFull = isNearlyFull(pool);
  return (
    <li>
      <MeaningIcon meaning={isFull ? 'warning' : 'ok'} />
      <span className="grow">{showHidden(pool.pool_name)}</span>
      {forecast !== null && <span className="muted">{forecastText(forecast)}</span>}
      <span style={{ width: 220 }}>
        <Progress label={t('overview.filledOf', { pool: showHidden(pool.pool_name) })} percent={percent} />
      </span>
      <span className={`line-figure ${isFull ? 'meaning-warning' : 'muted'}`}>
        {pool.total_space > 0
          ? t('overview.freeOf', {
              free: formatBytes(pool.free_space),
              total: formatBytes(pool.total_space),
            })
          : t('overview.noStorage')}
      </span>
    </li>
  );
}

function Resource(props: { readonly text: string | null; readonly most: number }) {
  const text = showHidden(props.text ?? '');
  return (
    <span className="mono" title={text}>
      {cutMiddle(text, props.most)}
    </span>
  );
}
