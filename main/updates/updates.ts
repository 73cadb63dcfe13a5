import type { Settings, SettingsPatch } from '../../contract/desktop/settings.ts';
import type { Notices } from '../notices/notices.ts';
import type { Log } from '../platform/log.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { feedFile, isNewer, readRelease } from './release.ts';

export interface Updates {
  /** Looks now and once a day, if the settings say so. Done when it has been looked, or at once while it is off. */
  readonly look: () => Promise<void>;
  /** Throws for a patch after which it would be on without an address. */
  readonly checkPatch: (patch: SettingsPatch) => void;
  /** Hands the package of the version that was found, or the folder it lies in, to the system's browser. */
  readonly open: () => Promise<void>;
}

const notice = 'update';
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Tells of a new version and where it is; nothing is downloaded or installed by the app. While it is off nothing is asked over the network.
 */
export function createUpdates(options: {
  readonly settings: () => Settings;
  readonly notices: Notices;
  readonly log: Log;
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** A package that the app can name: not where the system's package manager installed it. */
  readonly isOwnPackage: boolean;
  readonly readFeed: (url: string) => Promise<string>;
  readonly openLink: (url: string) => Promise<void>;
}): Updates {
  const { settings, notices, log } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;
  let found: string | null = null;

  const look = async (): Promise<void> => {
    clearTimeout(timer);
    turn += 1;
    const mine = turn;
    const { lookForUpdates, updateFeed } = settings();
    if (!lookForUpdates || updateFeed === '') {
      found = null;
      notices.dismiss(notice);
      return;
    }
    timer = setTimeout(() => void look(), dayMs);
    timer.unref();
    const folder = updateFeed.endsWith('/') ? updateFeed : `${updateFeed}/`;
    try {
      const text = await options.readFeed(new URL(feedFile(options.platform, options.arch), folder).href);
      // Switched off or sent elsewhere in the meantime.
      if (mine !== turn) return;
      const release = readRelease(text);
      if (release === null) throw new Error(t('updates.noFeed'));
      if (!isNewer(release.version, options.version)) {
        found = null;
        notices.dismiss(notice);
        return;
      }
      const { version, file } = release;
      const isNamed = options.isOwnPackage && file !== null;
      found = isNamed ? new URL(file, folder).href : folder;
      tell(t(isNamed ? 'updates.there' : 'updates.thereByHand', { version, place: found }), 'openUpdate');
    } catch (error) {
      if (mine !== turn) return;
      found = null;
      log.warn('the feed of updates could not be read', { error });
      tell(t('updates.failed', { place: folder, reason: messageOf(error) }), 'none');
    }
  };
  // Information would fade by itself; a new version stays until it is read.
  const tell = (message: string, action: 'openUpdate' | 'none'): void =>
    notices.show({ id: notice, level: 'warning', message, connectionId: null, action });

  return {
    look,
    checkPatch: (patch) => {
      const { lookForUpdates, updateFeed } = { ...settings(), ...patch };
      if (patch.lookForUpdates === undefined && patch.updateFeed === undefined) return;
      if (!lookForUpdates || updateFeed !== '') return;
      const reason = t('updates.feedMissing');
      throw new ProblemError({
        kind: 'refused',
        code: 'input',
        message: reason,
        errors: { updateFeed: reason },
      });
    },
    open: async () => {
      if (found === null)
        throw new ProblemError({ kind: 'refused', code: 'update', message: t('updates.none') });
      await options.openLink(found);
    },
  };
}
