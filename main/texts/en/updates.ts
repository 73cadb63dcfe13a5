/** New versions of Strongroom. */
export const updates = {
  there: 'Version {{version}} of Strongroom is there: {{place}}',
  thereByHand:
    'Version {{version}} of Strongroom is there: {{place}}. Install it as this one was installed; it does not replace itself.',
  failed: 'Whether there is a new version could not be found out from {{place}}: {{reason}}',
  status: 'the server answered {{status}}',
  noFeed: 'what is there names no version',
  feedMissing: 'Enter the address at which new versions are looked for.',
  none: 'No new version has been found.',
} as const;
