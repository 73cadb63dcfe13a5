import { useCallback } from 'react';
import type { DirectoryMapping } from '../../../contract/directory/directory.ts';
import { Role, roles } from '../../../contract/permissions.ts';
import { call } from '../../bridge.ts';
import { textOf } from '../../shell/form-values.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { MoreLine, PagesProblem, usePages } from '../../shell/use-pages.tsx';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, showHidden } from '../../ui/index.ts';

const words = textsOf('directory').mappings;
const roleWord = (role: string): string => showHidden(wordFor(textsOf('users').roles, role));

/** Which groups of the directory have which role here. */
export function Mappings(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const reasonFor = useRights(connectionId);
  const mappings = usePages<DirectoryMapping>(
    useCallback(
      (query, signal) => call(connectionId, 'directoryMappings.list', { query }, signal),
      [connectionId],
    ),
  );
  const { list: found, load } = mappings;
  const takeAway = async (mapping: DirectoryMapping): Promise<void> => {
    await call(connectionId, 'directoryMappings.deleteMany', { body: { ids: [mapping.id] } });
    await load();
  };
  return (
    <section aria-label={words.title} className="page-section">
      <h2>{words.title}</h2>
      <p className="muted">{words.summary}</p>
      <PagesProblem pages={mappings} />
      <ul className="lines" aria-label={words.title}>
        {(found?.items ?? []).map((mapping) => (
          <li key={mapping.id}>
            <span className="grow">{showHidden(mapping.group)}</span>
            {mapping.sid === null && <span className="caption">{words.notFound}</span>}
            <span>{roleWord(mapping.role)}</span>
            <Button
              kind="quiet"
              label={t('directory.mappings.takeFrom', { role: roleWord(mapping.role), group: mapping.group })}
              onClick={() => tellFailure(takeAway(mapping))}
              disabledBecause={reasonFor('ldap.delete')}
            >
              {words.takeAway}
            </Button>
          </li>
        ))}
        {found?.items.length === 0 && <li className="muted">{words.none}</li>}
        <MoreLine pages={mappings} />
      </ul>
      <div>
        <Button onClick={() => openNew(connectionId, load)} disabledBecause={reasonFor('ldap.write')}>
          {words.giveAsk}
        </Button>
      </div>
    </section>
  );
}

function openNew(connectionId: string, changed: () => Promise<void>): void {
  openDialog({
    kind: 'form',
    form: {
      title: words.give,
      submitLabel: t('common.save'),
      fields: [
        { name: 'group', label: words.group, type: 'text', help: words.groupHelp },
        {
          name: 'role',
          label: words.role,
          type: 'select',
          choices: roles.map((value) => ({ value, label: roleWord(value) })),
        },
      ],
      initial: { group: '', role: 'administrator' },
      submit: async (values) => {
        const role = Role.parse(textOf(values, 'role'));
        await call(connectionId, 'directoryMappings.create', {
          body: { group: textOf(values, 'group'), role },
        });
        await changed();
      },
    },
  });
}
