import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { tellFailure } from '../../shell/tell.ts';
import { refreshList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import { Button, nameInText, StatusBadge, showHidden } from '../../ui/index.ts';
import { Line } from './found-line.tsx';
import { driveStatusWord, libraryMeaning, statusWord } from './library-words.ts';
import './tape.css';

/** A library with its robot and drives. */
export function LibraryDetails(props: {
  readonly connectionId: string;
  readonly library: TapeLibrary;
  readonly onBoard?: () => void;
  readonly onChanged?: () => void;
}) {
  const { connectionId, library } = props;
  const reasonFor = useRights(connectionId);
  const isUnloadingKnown = useExtension(connectionId, 'robot_unloads');
  const changeUnloading = async (): Promise<void> => {
    const body = { robot_unloads: !library.robot_unloads };
    await call(connectionId, 'tapeLibraries.update', { params: { id: library.id }, body });
    refreshList(connectionId, 'Tape libraries');
    props.onChanged?.();
  };
  return (
    <section aria-label={t('tapeLibraries.details')} className="page-section">
      <DetailsHead>{showHidden(`${library.vendor} ${library.model}`)}</DetailsHead>
      <Facts
        facts={[
          [
            t('common.status'),
            <StatusBadge
              key="status"
              meaning={libraryMeaning(library.status)}
              word={statusWord(library.status)}
            />,
          ],
          [t('common.pool'), showHidden(library.pool)],
          [t('tapeLibraries.mediaServer'), showHidden(library.media_server)],
          [
            t('tapeLibraries.robot'),
            <span className="mono" key="robot">
              {showHidden(library.sg_path)}
            </span>,
          ],
          [t('tapeLibraries.serial'), showHidden(library.serial)],
          [t('tapeLibraries.slots'), String(library.slots_count)],
          [t('tapeLibraries.lastSync'), library.last_sync === null ? null : serverTime(library.last_sync)],
          [t('tapeLibraries.unloading'), isUnloadingKnown ? unloadingWord(library) : null],
          [t('common.description'), library.description === null ? null : showHidden(library.description)],
        ]}
      />
      <div className="acts">
        {props.onBoard !== undefined && (
          <Button onClick={props.onBoard}>{t('tapeLibraries.openBoard')}</Button>
        )}
        {isUnloadingKnown && (
          <Button
            onClick={() => tellFailure(changeUnloading())}
            disabledBecause={reasonFor('tape_libraries.write')}
          >
            {t(library.robot_unloads ? 'tapeLibraries.letDrivesEject' : 'tapeLibraries.letRobotUnload')}
          </Button>
        )}
      </div>
      <h3>{t('tapeLibraries.drives')}</h3>
      <ul className="lines" aria-label={t('tapeLibraries.drives')}>
        {library.tape_drives.map((drive) => (
          <li key={drive.id} className="drive-line">
            <div className="drive-head">
              <span className="drive-name">{nameInText(`${drive.model} ${drive.serial}`)}</span>
              <span className="mono">{drive.barcode === null ? null : showHidden(drive.barcode)}</span>
              <span>{driveStatusWord(drive.status)}</span>
            </div>
            <span className="caption mono">{showHidden(drive.sg_path)}</span>
            {drive.needs_cleaning && <StatusBadge meaning="warning" word={t('tapeBoard.needsCleaning')} />}
            {drive.alerts.map((alert) => (
              <Line
                key={alert.flag}
                meaning={alert.severity === 'information' ? 'idle' : 'warning'}
                text={showHidden(alert.message)}
              />
            ))}
            {drive.alerts_read !== null && drive.alerts.length > 0 && (
              <span className="caption">
                {t('tapeBoard.alertsRead')}: {serverTime(drive.alerts_read)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const unloadingWord = (library: TapeLibrary): string =>
  t(library.robot_unloads ? 'tapeLibraries.robotUnloads' : 'tapeLibraries.drivesEject');
