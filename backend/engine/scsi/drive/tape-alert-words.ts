export type AlertSeverity = 'information' | 'warning' | 'critical';

export interface AlertWords {
  readonly severity: AlertSeverity;
  /** What it means, and what a person can do. */
  readonly message: string;
}

const table: Readonly<Record<number, readonly [AlertSeverity, string]>> = {
  1: ['warning', 'reading is difficult; if it stays so, use another cartridge or clean the drive'],
  2: ['warning', 'writing is difficult; if it stays so, use another cartridge or clean the drive'],
  3: ['warning', 'reading or writing failed and could not be made good'],
  4: ['critical', 'the cartridge is no longer good for data; copy what is on it and take it out of use'],
  5: ['critical', 'the tape could not be read; the cartridge or the drive is damaged'],
  6: ['critical', 'the tape could not be written; the cartridge or the drive is damaged'],
  7: ['warning', 'the cartridge has reached the end of its life; replace it'],
  8: ['warning', 'the cartridge is not made for data; replace it'],
  9: ['critical', 'the cartridge is write-protected'],
  10: ['information', 'the cartridge was asked for while the drive holds it'],
  11: ['information', 'a cleaning cartridge is in the drive'],
  12: ['information', 'the drive does not know the format of the cartridge'],
  13: ['critical', 'the tape is broken and can be taken out'],
  14: ['critical', 'the tape is broken and cannot be taken out; call service'],
  15: ['warning', 'the memory of the cartridge has failed'],
  16: ['critical', 'the cartridge was taken out by force while it was in use'],
  17: ['warning', 'the format of the cartridge can be read only'],
  18: ['warning', 'the directory of the tape is damaged; looking for files takes longer'],
  19: ['information', 'the cartridge comes near the end of its life'],
  20: ['critical', 'the drive has to be cleaned now'],
  21: ['warning', 'the drive is due for cleaning'],
  22: ['critical', 'the cleaning cartridge is used up; replace it'],
  23: ['critical', 'the cartridge is not one that cleans this drive'],
  24: ['warning', 'the tape should be wound once to its end and back'],
  25: ['warning', 'one of the two ports of the drive has failed'],
  26: ['warning', 'a fan has failed'],
  27: ['warning', 'a power supply has failed'],
  28: ['warning', 'the drive takes more power than it should'],
  29: ['warning', 'the drive is due for maintenance'],
  30: ['critical', 'a fault of the drive that a restart may end; if not, call service'],
  31: ['critical', 'the drive has failed its own test; call service'],
  32: ['warning', 'the connection to the host has trouble; check the cables'],
  33: ['critical', 'the operation failed: take the cartridge out and try once more'],
  34: ['warning', 'an update of the firmware failed'],
  35: ['warning', 'it is too humid for the drive'],
  36: ['warning', 'the drive is too hot or too cold'],
  37: ['warning', 'the voltage of the drive is out of range'],
  38: ['critical', 'the drive expects to fail; call service'],
  39: ['warning', 'the drive asks for its diagnostics to be run'],
  40: ['critical', 'the robot has trouble with the drive'],
  41: ['critical', 'a cartridge was left in the drive; take it out by hand'],
  42: ['warning', 'the mechanism of the robot has trouble'],
  43: ['critical', 'the door of the library is open'],
  44: ['critical', 'the robot has failed; call service'],
  45: ['critical', 'the magazine is not in its place'],
  46: ['warning', 'the robot expects to fail; call service'],
  50: ['warning', 'the statistics of the drive are lost'],
  51: ['warning', 'the directory of the tape could not be written when it was unloaded'],
  52: ['critical', 'the system area of the tape could not be written; copy what is on it'],
  53: ['critical', 'the system area of the tape could not be read; copy what is on it'],
  54: ['critical', 'the beginning of the data was not found; is it a tape of this format?'],
  55: ['critical', 'the tape could not be loaded; take it out by hand and look at it'],
  56: ['critical', 'the tape could not be unloaded; call service'],
  57: ['critical', 'the drive and the robot do not understand each other; call service'],
  58: ['warning', 'a fault of the firmware of the drive'],
  59: ['warning', 'the cartridge writes once, and its state is not right'],
  60: ['warning', 'something was to be written over on a cartridge that writes once'],
};

/** Words for a flag of TapeAlert (1 to 64). */
export function wordsOfAlert(flag: number): AlertWords {
  const [severity, message] = table[flag] ?? ['information', `alert ${flag}, which has no meaning here`];
  return { severity, message };
}
