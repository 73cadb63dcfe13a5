/** The last lines of a process's output, with secrets blotted out. */
export interface LogTail {
  readonly add: (line: string) => void;
  readonly lines: () => readonly string[];
}

export function createLogTail(secrets: () => readonly string[], most = 100): LogTail {
  let lines: string[] = [];
  return {
    add: (line) => {
      const clean = secrets().reduce((text, secret) => text.replaceAll(secret, '[secret]'), line);
      lines = [...lines.slice(1 - most), clean];
    },
    lines: () => lines,
  };
}
