export interface NumberedLine {
  /** Grows by one with each line of this run of the app. */
  readonly id: number;
  readonly text: string;
}

/** The last lines of a process's output, with secrets blotted out. */
export interface LogTail {
  readonly add: (line: string) => void;
  /** The newest hundred at most, oldest first. */
  readonly lines: () => readonly string[];
  /** All that are kept and came after the line `id`, oldest first; 0: all. */
  readonly after: (id: number) => readonly NumberedLine[];
}

const shownAtOnce = 100;

export function createLogTail(secrets: () => readonly string[], most = 2000): LogTail {
  const lines: NumberedLine[] = [];
  let last = 0;
  return {
    add: (line) => {
      const text = secrets().reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), line);
      last += 1;
      lines.push({ id: last, text });
      if (lines.length > most) lines.shift();
    },
    lines: () => lines.slice(-shownAtOnce).map(({ text }) => text),
    after: (id) => lines.slice(Math.max(0, lines.length - Math.max(0, last - id))),
  };
}
