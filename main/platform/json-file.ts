import { basename } from 'node:path';
import { t } from '../texts/index.ts';
import { type FileCalls, realFileCalls, writeAtomically } from './atomic-file.ts';
import { codeOf, messageOf } from './problem-error.ts';

export interface Read<T> {
  readonly value: T;
  /** What had to be left out, if something had. */
  readonly complaint?: string;
}

export interface JsonFileOptions<T> {
  readonly path: string;
  readonly fallback: T;
  /** The value in parsed JSON; throws when it cannot be used at all. */
  readonly read: (json: unknown) => Read<T>;
  /** What is written for a value; the value itself unless told. */
  readonly write?: (value: T) => unknown;
  /** One sentence for the person, once, when the file was not as it should be. */
  readonly onTrouble: (message: string) => void;
  readonly files?: FileCalls;
  readonly now?: () => number;
}

export interface JsonFile<T> {
  readonly load: () => Promise<T>;
  /** Saves in the order of the calls; done when it is on the disk. */
  readonly save: (value: T) => Promise<void>;
}

/**
 * A settings file that survives what happens to files: written atomically, with a second copy of the last good state
 * beside it. A file that is cut short, full of zeros or no JSON is kept aside under another name and the copy is used.
 */
export function createJsonFile<T>(options: JsonFileOptions<T>): JsonFile<T> {
  const { path, files = realFileCalls, now = Date.now, write = (value: T) => value } = options;
  const copyPath = `${path}.last-good`;
  let saving: Promise<void> = Promise.resolve();

  const keepAside = async (): Promise<string> => {
    const aside = `${path}.bad-${new Date(now()).toISOString().replace(/[:.]/g, '-')}`;
    await files.rename(path, aside);
    return basename(aside);
  };

  const recover = async (reason: string): Promise<T> => {
    const name = basename(path);
    const aside = await keepAside().catch((error: unknown) => {
      options.onTrouble(t('files.notAside', { name, reason: messageOf(error) }));
      return name;
    });
    try {
      const copy = options.read(JSON.parse(await files.readText(copyPath)));
      options.onTrouble(t('files.restored', { name, reason, aside }));
      await writeAtomically(path, JSON.stringify(JSON.parse(await files.readText(copyPath)), null, 2), files);
      return copy.value;
    } catch {
      // The reason why the copy is of no use adds nothing that a person could act on.
      options.onTrouble(t('files.startsEmpty', { name, reason, aside }));
      return options.fallback;
    }
  };

  return {
    load: async () => {
      let text: string;
      try {
        text = await files.readText(path);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return options.fallback;
        return recover(messageOf(error));
      }
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        return recover(text.replaceAll('\0', '').trim() === '' ? t('files.isEmpty') : t('files.noJson'));
      }
      try {
        const { value, complaint } = options.read(json);
        if (complaint) options.onTrouble(t('files.complaint', { name: basename(path), complaint }));
        return value;
      } catch (error) {
        return recover(messageOf(error));
      }
    },
    save: (value) => {
      const text = JSON.stringify(write(value), null, 2);
      const work = saving.then(async () => {
        await writeAtomically(path, text, files);
        await writeAtomically(copyPath, text, files);
      });
      // A failure is its caller's; the next save is tried in any case.
      saving = work.catch(() => undefined);
      return work;
    },
  };
}
