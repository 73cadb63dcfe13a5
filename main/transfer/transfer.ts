import { writeFile } from 'node:fs/promises';
import type { Imported, ImportPreview } from '../../contract/desktop/transfer.ts';
import type { Connections } from '../connections/connections.ts';
import type { SharedProfile } from '../connections/profile-sharing.ts';
import { readChosenFile } from '../platform/chosen-file.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { type ReadFile, readConnections, writeConnections } from './connections-file.ts';

const mostFileBytes = 4 * 1024 * 1024;

/** Connections to a file and from one. */
export function createTransfer(deps: {
  readonly connections: Pick<Connections, 'profilesToShare' | 'sameAccount' | 'takeOver'>;
  /** Null: the person gave up. The native dialog asks before a file is replaced. */
  readonly pickSaveName: (title: string, defaultName: string) => Promise<string | null>;
}) {
  const { connections } = deps;

  const load = async (path: string, passphrase: string | null): Promise<ReadFile> =>
    readConnections(await readChosenFile(path, mostFileBytes, t('files.tooLargeConnections')), passphrase);

  const previewOf = (profile: SharedProfile): ImportPreview['items'][number] => {
    const { pin, tls, remember: _remember, ...rest } = profile;
    return {
      ...rest,
      fingerprint: pin?.fingerprint ?? null,
      tls: tls ?? null,
      existingName: connections.sameAccount(profile)?.name ?? null,
    };
  };

  return {
    save: async (
      passphrase: string | null,
    ): Promise<{ readonly path: string | null; readonly count: number }> => {
      const profiles = connections.profilesToShare();
      const name = passphrase === null ? 'strongroom-connections.json' : 'strongroom-connections-sealed.json';
      const path = await deps.pickSaveName(t('dialogs.exportConnections'), name);
      if (path === null) return { path, count: 0 };
      const text = await writeConnections(profiles, passphrase);
      await writeFile(path, text, { encoding: 'utf8', mode: 0o600 }).catch((error: unknown) => {
        throw localProblem('save', t('files.notWritten', { path, reason: messageOf(error) }));
      });
      return { path, count: profiles.length };
    },

    preview: async (path: string, passphrase: string | null): Promise<ImportPreview> => {
      const file = await load(path, passphrase);
      if (file.kind === 'sealed') return { needsPassphrase: true, digest: file.digest, items: [] };
      return { needsPassphrase: false, digest: file.digest, items: file.profiles.map(previewOf) };
    },

    take: async (input: {
      readonly path: string;
      readonly passphrase: string | null;
      readonly digest: string;
      readonly take: readonly number[];
      readonly replace: readonly number[];
    }): Promise<Imported> => {
      const file = await load(input.path, input.passphrase);
      if (file.kind === 'sealed' || file.digest !== input.digest)
        throw localProblem('changed', t('transfer.changed'));
      const counts = { added: 0, replaced: 0, kept: 0 };
      for (const index of new Set(input.take)) {
        const profile = file.profiles[index];
        if (profile) counts[await connections.takeOver(profile, input.replace.includes(index))]++;
      }
      return counts;
    },
  };
}

function localProblem(code: string, message: string): ProblemError {
  return new ProblemError({ kind: 'local', code, message });
}
