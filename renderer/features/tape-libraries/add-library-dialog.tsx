import { useEffect, useState } from 'react';
import { problemOf } from '../../bridge.ts';
import { mediaServerChoices, type Offer } from '../../shell/choices.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { refreshList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t } from '../../texts/index.ts';
import { Dialog, SelectField, showHidden, TextField } from '../../ui/index.ts';
import {
  addLibrary,
  type Check,
  checkRobot,
  drivesFor,
  type Found,
  freePools,
  look,
} from './add-library-data.ts';
import { CheckedLibrary, FoundDevices } from './add-library-found.tsx';
import { AddLibrarySource, type Source } from './add-library-source.tsx';
import './tape.css';

/** Where from, what was found, which pool, and a look at the robot: in one dialog, in any order. */
export function AddLibraryDialog(props: {
  readonly connectionId: string;
  readonly source: Source;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}) {
  const { connectionId } = props;
  const [servers, setServers] = useState<Offer>({ choices: [] });
  const [server, setServer] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isLooking, setLooking] = useState(false);
  const [robotId, setRobotId] = useState<number | null>(null);
  const [off, setOff] = useState<ReadonlySet<number>>(new Set());
  const [pools, setPools] = useState<readonly string[]>([]);
  const [pool, setPool] = useState('');
  const [newPool, setNewPool] = useState('');
  const [description, setDescription] = useState('');
  const [check, setCheck] = useState<{ readonly of: string; readonly found: Check | string } | null>(null);
  const robot = found?.robots.find(({ id }) => id === robotId) ?? found?.robots[0];
  const drives = found === null || robot === undefined ? [] : drivesFor(found, robot);
  const chosen = drives.filter(({ id }) => !off.has(id));

  useEffect(() => {
    mediaServerChoices(connectionId).then(
      (offer) => {
        setServers(offer);
        setServer(offer.choices[0]?.value ?? '');
      },
      (error: unknown) => setTrouble(problemOf(error).message),
    );
  }, [connectionId]);

  const lookAgain = async (): Promise<Found | null> => {
    setLooking(true);
    setTrouble(null);
    try {
      const [now, free] = await Promise.all([look(connectionId, server), freePools(connectionId, server)]);
      // What was not there before is what was looked for.
      const before = new Set((found?.robots ?? []).map(({ id }) => id));
      const fresh = found === null ? undefined : now.robots.find(({ id }) => !before.has(id));
      if (fresh !== undefined) setRobotId(fresh.id);
      setFound(now);
      setPools(free);
      setPool((before) => (free.includes(before) ? before : (free[0] ?? '')));
      setCheck(null);
      return now;
    } catch (error) {
      setTrouble(problemOf(error).message);
      return null;
    } finally {
      setLooking(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another media server is another look
  useEffect(() => {
    if (server !== '') void lookAgain();
  }, [server]);

  const path = robot?.sg_path;
  useEffect(() => {
    if (path === undefined) return undefined;
    let isWanted = true;
    const keep = (answer: Check | string) => isWanted && setCheck({ of: path, found: answer });
    checkRobot(connectionId, server, path).then(keep, (error: unknown) => keep(problemOf(error).message));
    return () => {
      isWanted = false;
    };
  }, [connectionId, server, path]);

  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      await addLibrary(
        connectionId,
        {
          server,
          robotId: robot?.id ?? 0,
          driveIds: chosen.map(({ id }) => id),
          pool: pool === '' ? newPool.trim() : pool,
          isNewPool: pool === '',
          description: description.trim(),
        },
        (made) => {
          setPools((before) => [...before, made]);
          setPool(made);
        },
      );
      refreshList(connectionId, 'Pools');
      showNotice({ level: 'info', message: t('tapeLibraries.add.done') });
      props.onAdded();
    },
    props.onClose,
    ['pool', 'pool_name', 'description', 'medium_changer_candidate_id', 'tape_drives_candidates_ids'],
  );
  const missing = () => {
    if (robot === undefined) return t('tapeLibraries.add.noRobotYet');
    if (chosen.length === 0) return t('tapeLibraries.add.noDriveYet');
    return pool === '' && newPool.trim() === '' ? t('tapeLibraries.add.noPoolYet') : null;
  };
  return (
    <Dialog
      title={t('tapeLibraries.add.title')}
      submitLabel={t('tapeLibraries.add.submit')}
      onSubmit={submit}
      onClose={props.onClose}
      isBusy={isBusy}
      problem={problem}
      isWide
      submitDisabledBecause={missing()}
      summary={t('tapeLibraries.add.summary')}
    >
      <div className="add-library">
        <section className="step" aria-label={t('tapeLibraries.add.where')}>
          <h3>{t('tapeLibraries.add.where')}</h3>
          <SelectField
            label={t('tapeLibraries.mediaServer')}
            value={server}
            {...servers}
            onChange={setServer}
          />
          <AddLibrarySource
            connectionId={connectionId}
            first={props.source}
            server={server}
            found={found}
            isLooking={isLooking}
            onLook={lookAgain}
          />
        </section>
        <section className="step" aria-label={t('tapeLibraries.add.found')}>
          <h3>{t('tapeLibraries.add.found')}</h3>
          <FoundDevices
            found={found}
            isLooking={isLooking}
            trouble={trouble}
            robot={robot}
            drives={drives}
            off={off}
            errors={errors}
            onRobot={setRobotId}
            onOff={setOff}
          />
        </section>
        <section className="step" aria-label={t('tapeLibraries.add.pool')}>
          <h3>{t('tapeLibraries.add.pool')}</h3>
          <SelectField
            label={t('common.pool')}
            value={pool}
            onChange={setPool}
            error={errors.pool}
            choices={[
              ...pools.map((name) => ({ value: name, label: showHidden(name) })),
              { value: '', label: t('tapeLibraries.add.newPool') },
            ]}
          />
          {pool === '' && (
            <TextField
              label={t('tapeLibraries.add.newPoolName')}
              value={newPool}
              onChange={setNewPool}
              error={errors.pool_name}
              help={t('tapeLibraries.add.newPoolHelp')}
            />
          )}
          <TextField
            label={t('common.description')}
            value={description}
            onChange={setDescription}
            error={errors.description}
          />
        </section>
        <section className="step" aria-label={t('tapeLibraries.add.check')}>
          <h3>{t('tapeLibraries.add.check')}</h3>
          <CheckedLibrary
            check={check !== null && check.of === path ? check.found : null}
            hasRobot={robot !== undefined}
            drives={chosen.length}
          />
        </section>
      </div>
    </Dialog>
  );
}
