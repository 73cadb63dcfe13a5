export const preferences = {
  title: 'Preferences',
  save: 'Save',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  language: 'Language',
  // Each language in its own words, so that a person finds the way back.
  languages: { system: 'As the system', en: 'English', ru: 'Русский' },
  density: 'Density of tables',
  densities: { compact: 'Compact', normal: 'Normal', comfortable: 'Comfortable' },
  clock: 'Clock',
  clocks: { '24': '24 hours, 14:30', '12': '12 hours, 2:30 PM' },
  localTimes: 'Times of a server in another zone',
  localTimesChoices: {
    tooltip: 'With this computer’s time in the tooltip',
    beside: 'With this computer’s time beside',
  },
  localTimesHelp: 'The zone of a server is set with “Edit…” of its connection.',
  notices: 'Tell on the desktop',
  noticeKinds: {
    taskFailed: 'when a task failed',
    runOverdue: 'when a run is overdue',
    poolNearlyFull: 'when a pool is nearly full',
    serverUnreachable: 'when a server is lost',
  },
  close: 'When the window is closed',
  closing: { ask: 'Ask', background: 'Go on in the background', quit: 'Quit' },
  lookForUpdates: 'Look for new versions once a day',
  updateFeed: 'Address of new versions',
  updateFeedHelp:
    'An https address. Nothing is asked over the network unless this is on, and nothing is installed by itself.',
  closeHelp: 'This desktop shows no icon of programs that run in the background.',
} as const;
