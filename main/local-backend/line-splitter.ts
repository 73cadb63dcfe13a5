const mostLineChars = 4_096;

/**
 * Whole lines from pieces of output, however they are cut; half a character is carried over as well. A line without
 * an end is cut off, so that a process which never ends its line cannot fill the memory.
 */
export function createLineSplitter(onLine: (line: string) => void) {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.slice(0, mostLineChars));
    if (rest.length > mostLineChars) {
      onLine(rest.slice(0, mostLineChars));
      rest = '';
    }
  };
  return {
    push: (chunk: Uint8Array): void => take(decoder.decode(chunk, { stream: true })),
    /** The end of the output: what is left is a line too. */
    end: (): void => {
      take(decoder.decode());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
