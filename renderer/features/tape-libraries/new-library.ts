import type {
  MediumChanger,
  TapeCandidates,
  TapeLibrary,
} from '../../../contract/tape-libraries/tape-library.ts';
import { call } from '../../bridge.ts';
import { mediaServerChoices, poolChoices } from '../../shell/choices.ts';
import { type FormValues, flagOf, textOf, textOrNull } from '../../shell/form-values.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { type ListStore, showHidden } from '../../ui/index.ts';

interface Robot {
  readonly server: string;
  readonly changer: MediumChanger;
  readonly drives: TapeCandidates['tape_drives'];
}

/** The robots of all media servers that no library uses yet, each with the drives that could belong to it. */
async function findRobots(connectionId: string): Promise<readonly Robot[]> {
  const servers = await mediaServerChoices(connectionId);
  const found = await Promise.all(
    servers.map(async ({ value: server }) => {
      const query = { media_server: server, adding_type: 'auto' as const };
      const candidates = await call(connectionId, 'tapeLibraries.candidates', { query });
      return candidates.medium_changers.map((changer) => ({
        server,
        changer,
        drives: candidates.tape_drives.filter(
          ({ medium_changer_id: owner }) => owner === null || owner === changer.id,
        ),
      }));
    }),
  );
  return found.flat();
}

export async function openNewLibrary(connectionId: string, list: ListStore<TapeLibrary>): Promise<void> {
  const [pools, robots] = await Promise.all([
    poolChoices(connectionId, (type) => type === 'Tape library'),
    findRobots(connectionId),
  ]);
  if (robots.length === 0) {
    showNotice({ level: 'info', message: 'No media server has a robot that is not in use already.' });
    return;
  }
  if (pools.length === 0) {
    showNotice({ level: 'info', message: 'Make a pool of type Tape library first.' });
    return;
  }
  const drives = [
    ...new Map(robots.flatMap((robot) => robot.drives).map((drive) => [drive.id, drive])).values(),
  ];
  openDialog({
    kind: 'form',
    form: {
      title: 'New library',
      submitLabel: 'Add library',
      summary: 'Cartridges with a readable barcode in its slots are registered to the pool.',
      fields: [
        { name: 'pool', label: 'Pool', type: 'select', choices: pools },
        {
          name: 'robot',
          label: 'Robot',
          type: 'select',
          choices: robots.map(({ changer, server }) => ({
            value: String(changer.id),
            label: showHidden(`${changer.vendor} ${changer.model} ${changer.serial} on ${server}`),
          })),
        },
        ...drives.map((drive) => ({
          name: `drive ${drive.id}`,
          label: showHidden(`Drive ${drive.vendor} ${drive.model} ${drive.serial} (${drive.sg_path})`),
          type: 'checkbox' as const,
        })),
        { name: 'description', label: 'Description', type: 'text' },
      ],
      initial: {
        pool: pools[0]?.value ?? '',
        robot: String(robots[0]?.changer.id ?? ''),
        ...Object.fromEntries(drives.map((drive) => [`drive ${drive.id}`, true])),
        description: '',
      },
      submit: async (values) => {
        await call(connectionId, 'tapeLibraries.create', { body: bodyOf(values, robots) });
        await list.refresh();
      },
    },
  });
}

function bodyOf(values: FormValues, robots: readonly Robot[]) {
  const robot = robots.find(({ changer }) => String(changer.id) === textOf(values, 'robot'));
  return {
    pool: textOf(values, 'pool'),
    media_server: robot?.server ?? '',
    medium_changer_candidate_id: robot?.changer.id ?? 0,
    tape_drives_candidates_ids: (robot?.drives ?? [])
      .filter((drive) => flagOf(values, `drive ${drive.id}`))
      .map((drive) => drive.id),
    description: textOrNull(values, 'description'),
  };
}
