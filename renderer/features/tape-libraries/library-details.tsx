import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { DetailsHead, Facts } from '../../shell/list-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { t } from '../../texts/index.ts';
import { Button, StatusBadge, showHidden } from '../../ui/index.ts';
import { Line } from './found-line.tsx';
import { driveStatusWord, libraryMeaning, statusWord } from './library-words.ts';
import './tape.css';

/** A library with its robot and drives. */
export function LibraryDetails(props: { readonly library: TapeLibrary; readonly onBoard?: () => void }) {
  const { library } = props;
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
          [t('common.description'), library.description === null ? null : showHidden(library.description)],
        ]}
      />
      {props.onBoard !== undefined && (
        <div className="acts">
          <Button onClick={props.onBoard}>{t('tapeLibraries.openBoard')}</Button>
        </div>
      )}
      <h3>{t('tapeLibraries.drives')}</h3>
      <ul className="lines" aria-label={t('tapeLibraries.drives')}>
        {library.tape_drives.map((drive) => (
          <li key={drive.id} className="drive-line">
            <div className="drive-head">
              <span className="drive-name">{showHidden(`${drive.model} ${drive.serial}`)}</span>
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
