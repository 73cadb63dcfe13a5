import { useCallback, useEffect, useState } from 'react';
import type { DirectoryMapping } from '../../../contract/directory/directory.ts';
import { Role, roles } from '../../../contract/permissions.ts';
import { call, problemOf } from '../../bridge.ts';
import { textOf } from '../../shell/form-values.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { Button, showHidden } from '../../ui/index.ts';

/** Which groups of the directory have which role here. */
export function Mappings(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [mappings, setMappings] = useState<readonly DirectoryMapping[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const reasonFor = useRights(connectionId);
  const load = useCallback(async () => {
    try {
      const answer = await call(connectionId, 'directoryMappings.list', { query: { page: 1, limit: 500 } });
      setMappings(answer.items);
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  }, [connectionId]);
  useEffect(() => void load(), [load]);
  const takeAway = async (mapping: DirectoryMapping): Promise<void> => {
    await call(connectionId, 'directoryMappings.deleteMany', { body: { ids: [mapping.id] } });
    await load();
  };
  return (
    <section aria-label="Groups and roles" className="page-section">
      <h2>Groups and roles</h2>
      <p className="muted">Members of a group, also through other groups, have its role here.</p>
      {problem !== null && <p role="alert">{showHidden(problem)}</p>}
      <ul className="lines" aria-label="Groups and roles">
        {(mappings ?? []).map((mapping) => (
          <li key={mapping.id}>
            <span className="grow">{showHidden(mapping.group)}</span>
            {mapping.sid === null && <span className="caption">not found in the directory yet</span>}
            <span>{showHidden(mapping.role)}</span>
            <Button
              kind="quiet"
              label={`Take ${mapping.role} from ${mapping.group}`}
              onClick={() => tellFailure(takeAway(mapping))}
              disabledBecause={reasonFor('ldap.delete')}
            >
              Take away
            </Button>
          </li>
        ))}
        {mappings?.length === 0 && (
          <li className="muted">No group has a role: nobody of the domain gets in.</li>
        )}
      </ul>
      <div>
        <Button onClick={() => openNew(connectionId, load)} disabledBecause={reasonFor('ldap.write')}>
          Give a group a role…
        </Button>
      </div>
    </section>
  );
}

function openNew(connectionId: string, changed: () => Promise<void>): void {
  openDialog({
    kind: 'form',
    form: {
      title: 'Give a group a role',
      submitLabel: 'Save',
      fields: [
        { name: 'group', label: 'Group', type: 'text', help: 'Its name or its distinguished name (DN).' },
        {
          name: 'role',
          label: 'Role',
          type: 'select',
          choices: roles.map((value) => ({ value, label: value })),
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
