/** Files of this computer and its keychain. */

export const keychain = {
  absent:
    'This computer has no keychain service. Sessions are kept until Strongroom is closed; then sign in again.',
  locked:
    'The keychain of this computer is locked. Unlock it and try again; until then sessions are not saved.',
  dismissed:
    'The question of the keychain was dismissed. Try again and allow it; until then sessions are not saved.',
  hung: 'The keychain of this computer does not answer. Sessions are kept until Strongroom is closed.',
  broken: 'The keychain of this computer cannot be used. Sessions are kept until Strongroom is closed.',
} as const;

export const files = {
  changedModules:
    'These files are not those that Strongroom was packed with: {{files}}. Install it again from a source that you trust.',
  notAside: '{{name}} cannot be read and could not be put aside: {{reason}}',
  restored:
    '{{name}} was damaged ({{reason}}). Its last good copy is used; the damaged file is kept as {{aside}}.',
  startsEmpty:
    '{{name}} was damaged ({{reason}}) and there is no good copy. It starts empty; the damaged file is kept as {{aside}}.',
  isEmpty: 'it is empty',
  noJson: 'it is not valid JSON',
  newer: 'it comes from a newer version of Strongroom',
  noSettings: 'it holds no settings',
  noConnections: 'it holds no list of connections',
  complaint: '{{name}}: {{complaint}}',
  lostConnections: '{{lost}} of {{all}} connections could not be read and are left out.',
  settingsTooLarge: 'The settings would grow too large.',
  notRead: 'The file could not be read: {{reason}}',
  notReadField: 'cannot be read',
  noFile: 'it is no file',
  tooLargeBundle: 'it is too large to be a support bundle',
  tooLargeConnections: 'it is too large to be a file of connections',
  notWritten: '{{path}} could not be written: {{reason}}',
  folderNotOpened: 'The folder {{folder}} could not be opened: {{reason}}',
} as const;

export const bundle = {
  readOnly: 'This is a recording of a server. Nothing can be changed.',
  notRecorded: 'This was not recorded. The file holds what was looked at before it was made.',
  otherForm: 'What was recorded has another form than expected ({{detail}}).',
  noList: 'it is not a list',
  notOpened: 'The file cannot be opened: {{reason}}.',
  foreign: 'it is no support bundle of Strongroom',
  damaged: 'it is damaged ({{detail}})',
} as const;

export const transfer = {
  changed: 'The file was changed since it was shown. Look at it once more.',
  wrongPassphrase: 'The file does not open with this passphrase. Nothing was imported.',
  wrongPassphraseField: 'is not the one of this file, or the file was changed',
  notImported: 'The file cannot be imported: {{reason}}.',
  noConnections: 'it holds no connections of Strongroom',
  badEntry: 'its connection {{number}} cannot be read ({{detail}})',
  badAddress: 'the address of its connection {{number}} {{reason}}',
  badCertificate: 'the certificate of its connection {{number}} is none',
} as const;
