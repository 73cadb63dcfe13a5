/** What the window itself tells at the bottom right; what main tells there is in main/texts. */
export const notices = {
  dismiss: 'Dismiss',
  settingsNotKept: 'The settings could not be kept: {{reason}}',
  tryAgain: 'Try again',
  openLogs: 'Open logs',
  signIn: 'Sign in',
} as const;
