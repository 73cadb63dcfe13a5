/** The bell of the status bar and what it opens. */
export const notices = {
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
