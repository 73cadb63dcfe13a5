/** Text of a server for places outside the window: one line, and nothing in it that could deceive the eye. */
export function plainText(text: string, mostChars = 300): string {
  const visible = text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '\uFFFD').trim();
  return visible.length > mostChars ? `${visible.slice(0, mostChars - 1)}…` : visible;
}
