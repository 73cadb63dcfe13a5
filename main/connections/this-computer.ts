import { localProfileId, type Profile } from '../profiles/profile.ts';
import { namesOfThisComputer, t } from '../texts/index.ts';

export function zoneOfThisComputer(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The name that this computer's connection was given by itself follows the language; one that a person gave stays. */
export function nameInThisLanguage({ kind, name }: Profile): string {
  return kind === 'local' && namesOfThisComputer.includes(name) ? t('connections.thisComputer') : name;
}

export function localProfile(userName: string): Profile {
  return {
    id: localProfileId,
    name: t('connections.thisComputer'),
    kind: 'local',
    address: '',
    database: 'strongroom',
    userName,
    authType: 'database',
    domain: '',
    remember: false,
    group: '',
    colour: 'none',
    zone: '',
    loginForm: 'five',
    pin: null,
  };
}
