/** Which rows of a table can be seen, all of one height; reckoned, so that a million rows cost no more than ten. */

export interface View {
  readonly count: number;
  readonly rowPx: number;
  /** How far the table is scrolled, and what of its height is left to the rows. */
  readonly topPx: number;
  readonly heightPx: number;
}

export interface RowsInView {
  /** With some more on both sides; `last` is below `first` where there are none. */
  readonly first: number;
  readonly last: number;
  /** Those of them that can be seen, be it a part; the last is below the first where there are none. */
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** Where row 0 begins in the body, which is above it once the body is shorter than its rows. */
  readonly startPx: number;
}

/** Rows that are drawn and not seen: as far as two turns of a wheel go. */
const overscan = 8;
/** Chromium makes nothing taller than 33,554,428 pixels; what is behind could not be scrolled to. */
const tallestPx = 30_000_000;
const exactPx = 4;

export function bodyPx({ count, rowPx }: Pick<View, 'count' | 'rowPx'>): number {
  return Math.min(count * rowPx, tallestPx);
}

export function rowsInView(view: View): RowsInView {
  const { count, rowPx, topPx, heightPx } = view;
  // In steps that positions of many millions of pixels keep in the single precision that they are drawn with.
  const startPx = Math.round((topPx - topPx * stretch(view)) / exactPx) * exactPx;
  const firstPx = Math.max(0, topPx - startPx);
  const firstSeen = Math.max(0, Math.min(count - 1, Math.floor(firstPx / rowPx)));
  const beyond = Math.ceil((firstPx + heightPx) / rowPx);
  return {
    first: Math.max(0, firstSeen - overscan),
    last: Math.min(count - 1, beyond - 1 + overscan),
    firstSeen,
    lastSeen: Math.min(count - 1, beyond - 1),
    startPx,
  };
}

/** Where to scroll to so that a row is seen whole; as it is now where it already is. */
export function topToShow(index: number, view: View): number {
  const { rowPx, topPx, heightPx } = view;
  const by = stretch(view);
  const fromPx = index * rowPx;
  const nowPx = topPx * by;
  if (fromPx < nowPx) return fromPx / by;
  if (fromPx + rowPx > nowPx + heightPx) return (fromPx + rowPx - heightPx) / by;
  return topPx;
}

/** How much further the rows go than the scroll bar, in a body that is shorter than its rows. */
function stretch(view: View): number {
  const all = view.count * view.rowPx - view.heightPx;
  const scrolled = bodyPx(view) - view.heightPx;
  return all > scrolled && scrolled > 0 ? all / scrolled : 1;
}
