/** What the window itself tells at the bottom right; what main tells there is in main/texts. */
export const notices = {
  dismiss: 'Dismiss',
  settingsNotKept: 'The settings could not be kept: {{reason}}',
  tryAgain: 'Try again',
  openLogs: 'Open logs',
  signIn: 'Sign in',
  openUpdate: 'Open',
  // The bell of the status bar and what it opens.
  title: 'Notices',
  unread_one: 'Notices, {{count, number}} unread',
  unread_other: 'Notices, {{count, number}} unread',
  markRead: 'Mark read',
  markAllRead: 'Mark all read',
  nothingUnread: 'All of them are read',
  isUnread: 'Unread: ',
  empty: 'Nothing has been told since the window was opened.',
  show: 'Show',
} as const;
