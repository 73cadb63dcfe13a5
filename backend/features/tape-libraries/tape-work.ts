/** Who is told how it goes on. */
export interface TapeWork {
  readonly signal: AbortSignal;
  /** After each block; what it gives back is waited for. */
  readonly onBytes: (bytes: number) => Promise<void> | void;
  readonly log: (level: 'info' | 'warning', message: string) => void;
  /** A cartridge is in a drive and is read from now on; told for each. */
  readonly onReading?: () => void;
}
