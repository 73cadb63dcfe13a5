import { Control, type Progress } from './control.ts';
import type { LogLevel } from './worker-group.ts';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}

/** A running piece of work. All calls are safe at any time, also after its end. */
export interface EngineJob<R> {
  /** Takes effect between files and blocks, well within a second; nothing is lost. */
  pause(): void;
  resume(): void;
  /** Ends the work for good; `result` rejects with a DeviceError of kind `cancelled`. */
  stop(): void;
  /** Bytes per second, 0 = no limit; may change while the work goes on. */
  setLimit(bytesPerSecond: number): void;
  progress(): Progress;
  /** At most five times a second, and once at the end. Returns how to stop listening. */
  onProgress(listener: (progress: Progress) => void): () => void;
  onLog(listener: (line: LogLine) => void): () => void;
  /** Rejects with a DeviceError. All workers are gone when it settles. */
  readonly result: Promise<R>;
}

export type JobLog = (level: LogLevel, message: string) => void;

const PROGRESS_EVERY_MS = 200;

/** Starts the work at once; lines logged before somebody listens are kept for the first listener. */
export function startJob<R>(run: (control: Control, log: JobLog) => Promise<R>): EngineJob<R> {
  const control = Control.create();
  const progressListeners = new Set<(progress: Progress) => void>();
  const logListeners = new Set<(line: LogLine) => void>();
  const early: LogLine[] = [];
  const log: JobLog = (level, message) => {
    const line = { level, message };
    if (logListeners.size === 0) early.push(line);
    for (const listener of logListeners) listener(line);
  };
  const tell = () => {
    const progress = control.progress();
    for (const listener of progressListeners) listener(progress);
  };
  const timer = setInterval(tell, PROGRESS_EVERY_MS);
  const result = run(control, log).finally(() => {
    clearInterval(timer);
    tell();
  });
  // Whoever never asks for the result must not bring the process down; who asks gets the error.
  result.catch(() => undefined);
  return {
    pause: () => control.pause(),
    resume: () => control.run(),
    stop: () => control.stop(),
    setLimit: (bytesPerSecond) => control.set('limit', bytesPerSecond),
    progress: () => control.progress(),
    onProgress: (listener) => {
      progressListeners.add(listener);
      return () => progressListeners.delete(listener);
    },
    onLog: (listener) => {
      logListeners.add(listener);
      for (const line of early.splice(0)) listener(line);
      return () => logListeners.delete(listener);
    },
    result,
  };
}
