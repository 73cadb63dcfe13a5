import { useState } from 'react';
import { useStore } from 'zustand';
import { allPermissions } from '../../contract/permissions.ts';
import { t, textsOf, wordFor } from '../texts/index.ts';
import { Checkbox, Dialog, showHidden } from '../ui/index.ts';
import { Facts } from './facts.tsx';
import { shell } from './shell-store.ts';

const words = textsOf('permissions');
const { roles: roleWords } = textsOf('users');

/** What the signed-in user may do on a server, and what not, area by area. */
export function RightsDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const connection = useStore(shell, ({ connections }) =>
    connections.find(({ id }) => id === props.connectionId),
  );
  const [isMissingOnly, setMissingOnly] = useState(false);
  if (connection === undefined) return null;
  const { user, roles, permissions } = connection.state;
  const said = { user: showHidden(user ?? ''), roles: roles.map(roleWord).join(', ') };
  const areas = areasOf(permissions).filter(({ missing }) => !isMissingOnly || missing.length > 0);
  return (
    <Dialog
      title={t('permissions.title', { connection: showHidden(connection.name) })}
      submitLabel={t('common.close')}
      cancelLabel={null}
      summary={words.add}
      onSubmit={props.onClose}
      onClose={props.onClose}
    >
      <p>{t(roles.length === 0 ? 'permissions.noRoles' : 'permissions.signedIn', said)}</p>
      <Checkbox label={words.onlyMissing} checked={isMissingOnly} onChange={setMissingOnly} />
      {areas.length === 0 && <p className="muted">{words.nothingMissing}</p>}
      <section aria-label={words.list}>
        <Facts facts={areas.map((area) => [area.label, <Rights key={area.label} area={area} />])} />
      </section>
    </Dialog>
  );
}

interface AreaRights {
  readonly label: string;
  readonly allowed: readonly string[];
  readonly missing: readonly string[];
}

function Rights(props: { readonly area: AreaRights }) {
  const { allowed, missing } = props.area;
  return (
    <>
      {allowed.join(', ')}
      {missing.length > 0 && (
        <span className="muted">
          {allowed.length > 0 && '; '}
          {t('permissions.missing', { actions: missing.join(', ') })}
        </span>
      )}
    </>
  );
}

const roleWord = (role: string): string => showHidden(wordFor(roleWords, role));

/** All rights that this program knows, and those of the account that it does not, in the order of the areas. */
export function areasOf(held: readonly string[]): readonly AreaRights[] {
  const byArea = new Map<string, string[]>();
  for (const permission of new Set<string>([...allPermissions, ...held])) {
    const at = permission.lastIndexOf('.');
    const [area, action] = at < 0 ? [permission, ''] : [permission.slice(0, at), permission.slice(at + 1)];
    byArea.set(area, [...(byArea.get(area) ?? []), action]);
  }
  return [...byArea].map(([area, actions]) => {
    const isHeld = (action: string) => held.includes(action === '' ? area : `${area}.${action}`);
    const word = (action: string) => showHidden(wordFor(words.actions, action));
    return {
      label: showHidden(wordFor(words.areas, area)),
      allowed: actions.filter(isHeld).map(word),
      missing: actions.filter((action) => !isHeld(action)).map(word),
    };
  });
}
