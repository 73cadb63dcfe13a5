/** Questions, dialogs and notices of the desktop. */

export const quit = {
  quit: 'Quit',
  cancel: 'Cancel',
  background: 'Keep in background',
  tasksRun: 'Tasks are running on this computer.',
  goesOn: 'Strongroom can go on in the background; start it again to see its window.',
  question_one: 'A task is running on this computer. Quit anyway?',
  question_other: '{{count}} tasks are running on this computer. Quit anyway?',
  more: 'and {{rest}} more',
  theyStop: 'They stop at a safe point and go on after the next start.',
} as const;

export const sandbox = {
  lost: 'Strongroom was started without the sandbox that keeps what servers send away from this computer.',
  remedy:
    'This system lets programs without a profile use no user namespaces, which the sandbox needs, and an AppImage brings no profile. Install the Debian package, or allow user namespaces, and start Strongroom again.',
  startWithout: 'Start without the sandbox',
} as const;

export const tasks = {
  types: {
    backup: 'Backup',
    restore: 'Restore',
    verify: 'Verify',
    copy: 'Copy',
    move: 'Move',
    delete: 'Delete',
    restore_proof: 'Restore proof',
    tape_label: 'Labelling',
    tape_scan: 'Reading',
  },
  of: '{{type}} of {{resource}}',
} as const;

export const news = {
  lost: '{{server}} is lost',
  noAnswer: 'It does not answer any more.',
  failed: 'Task failed on {{server}}',
  failedReason: '{{task}}: {{reason}}',
  overdue: 'Run overdue on {{server}}',
  overdueBody: '{{resource}} of {{client}} by {{strategy}}: {{reason}}',
  full: 'Pool nearly full on {{server}}',
  fullBody: '{{pool}} has {{percent}} % of its space left.',
  many: {
    taskFailed: '{{count}} tasks failed on {{server}}',
    runOverdue: '{{count}} runs are overdue on {{server}}',
    poolNearlyFull: '{{count}} pools are nearly full on {{server}}',
    serverUnreachable: '{{count}} servers are lost on {{server}}',
  },
} as const;

export const dialogs = {
  saveBundle: 'Save support bundle',
  exportConnections: 'Export connections',
} as const;
