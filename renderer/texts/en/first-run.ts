export const firstRun = {
  title: 'Welcome to Strongroom',
  local: 'This computer',
  localHelp: 'Backs up folders of this computer to its own disks. Needs no network and no other server.',
  useLocal: 'Use this computer',
  isStarting: 'The backup server is being started…',
  starting: 'Starting the backup server of this computer…',
  remote: 'A backup server',
  remoteHelp: 'Manages a server that already runs somewhere. You need its address and an account on it.',
  useRemote: 'Connect to a server',
  importFrom: 'Import connections…',
} as const;
