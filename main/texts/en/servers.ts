/** What stands between a person and a server. */

export const backend = {
  badOptions: 'It was started with options that it does not know.',
  dataDirInUse: 'Another process uses its data folder.',
  dataDirUnusable: 'Its data folder or database cannot be used.',
  endedOutside: 'The local backend was ended from outside.',
  endedItself: 'The local backend ended by itself (exit code {{code}}).',
  missing: 'The program of the local backend is missing or cannot be run. Install Strongroom again.',
  silent: 'The local backend did not say that it is ready in time.',
  junk: 'The local backend said something that is not understood.',
  doesNotStart: 'The local backend does not start. {{reason}}',
  wasStopped: 'The local backend was stopped.',
  starting: 'The local backend is starting.',
  notRunning: 'The local backend is not running.',
  notReached: 'The local backend runs but could not be reached.',
  withDetail: '{{reason}} ({{detail}})',
} as const;

export const certificate = {
  changed:
    'The certificate of this server changed. Nothing was sent. Ask its administrator whether that was meant.',
  expiredPin: 'The trusted certificate of this server expired on {{date}}. It needs a new one.',
  earlyPin:
    'The trusted certificate of this server is valid from {{date}} only. Is the clock of this computer right?',
  wrongHost: 'The certificate of this server belongs to another name. Nothing was sent.',
  expired: 'The certificate of this server has expired. Nothing was sent.',
  notYetValid: 'The certificate of this server is not valid yet. Nothing was sent.',
  unknown: 'The certificate of this server is not known to this computer. Nothing was sent.',
  otherAuthority:
    'No authority in the file of this connection vouches for the certificate of the server. Nothing was sent. Certificate: {{fingerprint}}. Authorities in the file: {{authorities}}. Choose the file of the right authority, or ask the administrator of the server.',
  otherAuthorityField: 'does not vouch for the server ({{fingerprint}}); it holds {{authorities}}',
  clientNeeded:
    'The server takes only callers that show a client certificate. Choose one with its key in the settings of the connection.',
  clientNeededField: 'is asked for by the server',
  clientRefused:
    'The server does not take the client certificate of this connection. Ask its administrator which one it takes.',
  clientRefusedField: 'is not taken by the server',
} as const;

export const network = {
  refused: 'Nothing listens at this address. Is the server running, and the port right?',
  closedByServer: 'The server closed the connection.',
  noName: 'There is no computer of this name.',
  noLookup: 'The name could not be looked up now. Is the network there?',
  noWay: 'There is no way to this computer.',
  noNetwork: 'The network of this computer is not reachable.',
  noAnswer: 'The computer did not answer.',
  noConnection: 'The computer did not answer within 5 s.',
  noHeaders: 'The server took the call but did not answer within 15 s.',
  stopped: 'The server stopped in the middle of its answer.',
  closed: 'The connection was closed.',
  noTls: 'The server does not speak TLS here. Is the port right?',
  deadline: 'The server did not finish its answer in time.',
  unknown: 'The server cannot be reached ({{detail}}).',
  late: 'The server did not answer within {{seconds}} s.',
} as const;

export const answers = {
  bad: 'This does not look like a backup server: {{reason}}.',
  broken: 'its answer is broken',
  tooLarge: 'its answer is larger than 32 MiB',
  otherForm: 'its answer has another form than expected ({{detail}})',
  failedHttp: 'it failed (HTTP {{status}})',
  redirects: 'it sends callers on to another address; connect to that one directly',
  ownForm: 'it refused in a form of its own (HTTP {{status}})',
  noToken: 'its login answered without a token',
  webPage: 'it answered with a web page',
  noJson: 'its answer is not valid JSON',
  signIn: 'The server asks to sign in.',
  forbidden: 'Your role does not allow this.',
  gone: 'The server does not know this object, or not any more.',
  failed: 'The server failed (HTTP {{status}}). Its log tells why.',
  refused: 'The server refused (HTTP {{status}}).',
  shape: {
    deep: '{{place}} is nested too deeply',
    noRecord: '{{place}} is not a record',
    noList: '{{place}} is not a list',
    unknown: '{{place}} has an unknown form',
    noText: '{{place}} is not a text',
    noNumber: '{{place}} is not a number',
    noBoolean: '{{place}} is neither true nor false',
    inexact: '{{place}} is an id that is too large to be told from its neighbours',
  },
} as const;

export const calls = {
  cancelled: 'The call was cancelled.',
  clocksDisagree:
    'Nothing was deleted: it is {{there}} on the server, but {{here}} on this computer, so what is old cannot be told. Set the clock that is wrong; everything else works meanwhile.',
  noCall: 'There is no such call.',
  notACall: '{{name}} is no call.',
  noCommand: 'There is no such command.',
  otherSender: 'Only the window of Strongroom may ask this.',
  tooMuch: 'That is more than can be taken at once.',
  correctFields: 'Please correct the marked fields.',
  correctField: 'Please correct the field {{field}}.',
  onlyParts: 'must hold params, query and body only',
  noPart: 'holds a part that this call does not take',
  missing: 'is missing',
  bug: 'Something went wrong inside Strongroom. The log has more under {{incident}}.',
  noLink: 'Strongroom does not open this address.',
  linkField: 'must be the page of a saved server, or one of the manuals',
} as const;

export const signIn = {
  needed: 'Please sign in to this server.',
  over: 'The session is over. Please sign in again.',
  signedOut: 'You signed out.',
  noPassword: 'There is no password to sign in with.',
  emptyPassword: 'must not be empty',
  noDomains: 'This server does not say that it knows domain accounts. Use a database account.',
  noDomainsField: 'is not known to this server',
} as const;

export const address = {
  unusable: 'The address cannot be used.',
  noAddress: 'is not an address; write it like https://backup.example.com:5656',
  noHttps: 'must begin with https://',
  hasUser: 'must not hold a user name or password; there are fields for them',
  hasQuery: 'must end with the path, without `?` or `#`',
  inClear: 'must begin with https://; without it, passwords would travel in clear over the network',
} as const;

export const connections = {
  thisComputer: 'This computer',
  notSaved: 'The connection could not be saved: {{reason}}',
  double: 'This account of this server is there already, as {{name}}.',
  doubleField: 'is there already, as {{name}}',
  gone: 'There is no such connection any more.',
} as const;
