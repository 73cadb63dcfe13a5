import type { FieldErrors } from '../../../contract/problem.ts';
import type { MediumChanger, TapeDriveCandidate } from '../../../contract/tape-libraries/tape-library.ts';
import { t } from '../../texts/index.ts';
import { Progress, showHidden } from '../../ui/index.ts';
import type { Check, Found } from './add-library-data.ts';
import { Line } from './found-line.tsx';

const identity = (device: { readonly serial: string; readonly sg_path: string }): string =>
  t('tapeLibraries.add.identity', { serial: showHidden(device.serial), path: showHidden(device.sg_path) });

/** Robots, of which one is chosen, and the drives that can belong to it. */
export function FoundDevices(props: {
  readonly found: Found | null;
  readonly isLooking: boolean;
  readonly trouble: string | null;
  readonly robot: MediumChanger | undefined;
  readonly drives: readonly TapeDriveCandidate[];
  readonly off: ReadonlySet<number>;
  readonly errors: FieldErrors;
  readonly onRobot: (id: number) => void;
  readonly onOff: (off: ReadonlySet<number>) => void;
}) {
  const { found, robot, drives, errors } = props;
  if (props.trouble !== null) return <Line meaning="error" text={showHidden(props.trouble)} isAlert />;
  if (found === null || props.isLooking)
    return (
      <Progress label={t('tapeLibraries.add.looking')} percent={null} text={t('tapeLibraries.add.looking')} />
    );
  if (robot === undefined) return <Line meaning="warning" text={t('tapeLibraries.add.noRobot')} />;
  const toggle = (id: number, isOn: boolean) => {
    const next = new Set(props.off);
    if (isOn) next.delete(id);
    else next.add(id);
    props.onOff(next);
  };
  return (
    <>
      <ul className="found" aria-label={t('tapeLibraries.add.robots')}>
        {found.robots.map((one) => (
          <li key={one.id}>
            <label className="check">
              <input
                type="radio"
                name="robot"
                checked={one.id === robot.id}
                onChange={() => props.onRobot(one.id)}
              />
              {t('tapeLibraries.add.robot', { name: showHidden(`${one.vendor} ${one.model}`) })}
            </label>
            <span className="caption mono">{identity(one)}</span>
          </li>
        ))}
      </ul>
      {drives.length === 0 && <Line meaning="error" text={t('tapeLibraries.add.noDrive')} />}
      <ul className="found" aria-label={t('tapeLibraries.add.drives')}>
        {drives.map((drive) => (
          <li key={drive.id}>
            <label className="check">
              <input
                type="checkbox"
                checked={!props.off.has(drive.id)}
                onChange={(event) => toggle(drive.id, event.target.checked)}
              />
              {t('tapeLibraries.add.drive', { name: showHidden(`${drive.vendor} ${drive.model}`) })}
            </label>
            <span className="caption mono">{identity(drive)}</span>
          </li>
        ))}
      </ul>
      {drives.some(({ medium_changer_id: owner }) => owner === null) && (
        <Line meaning="warning" text={t('tapeLibraries.add.unmatched')} />
      )}
      {[errors.medium_changer_candidate_id, errors.tape_drives_candidates_ids].map(
        (error) =>
          error !== undefined && <Line key={error} meaning="error" text={showHidden(error)} isAlert />,
      )}
    </>
  );
}

/** What the robot has told of the library that would be added. `check` null: not yet; a text: why not. */
export function CheckedLibrary(props: {
  readonly check: Check | string | null;
  readonly hasRobot: boolean;
  readonly drives: number;
}) {
  const { check } = props;
  if (!props.hasRobot) return <p className="muted">{t('tapeLibraries.add.checkLater')}</p>;
  if (check === null)
    return (
      <Progress
        label={t('tapeLibraries.add.checking')}
        percent={null}
        text={t('tapeLibraries.add.checking')}
      />
    );
  if (typeof check === 'string') return <Line meaning="error" text={showHidden(check)} isAlert />;
  const some = (barcodes: readonly string[]) => barcodes.slice(0, 5).map(showHidden).join(', ');
  return (
    <>
      <Line
        meaning="ok"
        text={t('tapeLibraries.add.places', {
          slots: check.slots,
          mail: check.mailSlots,
          drives: check.driveSlots,
        })}
      />
      {check.barcodes.length === 0 ? (
        <Line meaning="warning" text={t('tapeLibraries.add.noCartridge')} />
      ) : (
        <Line
          meaning="ok"
          text={t('tapeLibraries.add.cartridges', {
            cartridges: t('common.counts.cartridges', { count: check.barcodes.length }),
            barcodes: some(check.barcodes) + (check.barcodes.length > 5 ? ' …' : ''),
          })}
        />
      )}
      {check.cleaning > 0 && (
        <Line meaning="idle" text={t('tapeLibraries.add.cleaning', { count: check.cleaning })} />
      )}
      {props.drives < check.driveSlots && (
        <Line
          meaning="warning"
          text={t('tapeLibraries.add.fewerDrives', { drives: props.drives, count: check.driveSlots })}
        />
      )}
      {check.unreadable > 0 && (
        <Line meaning="warning" text={t('tapeLibraries.add.unreadable', { count: check.unreadable })} />
      )}
      {check.elsewhere.length > 0 && (
        <Line
          meaning="warning"
          text={t('tapeLibraries.add.elsewhere', { barcodes: some(check.elsewhere) })}
        />
      )}
      {check.twice.length > 0 && (
        <Line meaning="error" text={t('tapeLibraries.add.twice', { barcodes: some(check.twice) })} />
      )}
    </>
  );
}
