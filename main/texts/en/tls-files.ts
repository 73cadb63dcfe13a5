/** What is wrong with the PEM files of a connection. The reasons stand beside a field, and after its name. */

export const tlsFiles = {
  unusable: '{{field}}: {{reason}}',
  fields: {
    caFile: 'File of authorities',
    certificateFile: 'Client certificate',
    keyFile: 'Key of the client certificate',
    keyPassphrase: 'Passphrase of the key',
  },
  tooLarge: 'It is larger than 1 MiB.',
  noCertificate: 'There is no certificate in it. Choose a PEM file with “BEGIN CERTIFICATE”.',
  brokenCertificate: 'A certificate in it is broken. Get the file again from whoever made it.',
  noKey: 'There is no private key in it. Choose a PEM file with “BEGIN PRIVATE KEY”.',
  brokenKey: 'The key in it cannot be read. Get the file again from whoever made it.',
  notTogether: 'This key does not belong to the client certificate. Choose the key that was made with it.',
  expired: 'A certificate in it expired on {{date}}. Get a new one from your administrator.',
  certificateMissing: 'A key needs its certificate. Choose it too, or clear the key.',
  keyMissing: 'A client certificate needs its key. Choose it too, or clear the certificate.',
  passphraseNeeded: 'The key is sealed. Type its passphrase.',
  passphraseWrong: 'It does not open the key. Type the passphrase that the key was sealed with.',
} as const;
