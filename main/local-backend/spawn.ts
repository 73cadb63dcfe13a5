/** The bundled backend as a process: what the supervisor needs of it, whoever runs it. */
export interface SpawnedBackend {
  readonly pid: () => number | undefined;
  readonly post: (message: unknown) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onOutput: (listener: (chunk: Uint8Array) => void) => void;
  /** Once; code null when a signal ended it. */
  readonly onExit: (listener: (code: number | null) => void) => void;
  readonly signal: (name: 'SIGTERM' | 'SIGKILL') => void;
}

/** Throws, or the process exits, when there is nothing to start. */
export type SpawnBackend = () => SpawnedBackend;
