import { openTapeCopyReader, type TapeCopyReader, type TapeReading } from './read-part.ts';
import {
  type OnTapeBytes,
  openTapeCopyWriter,
  type TapeCopySource,
  type TapeCopyWriter,
} from './write-part.ts';

/** Where copies are written to tapes and read from them: here, or in the thread that has the drives. */
export interface TapeCopies {
  openWriter(source: TapeCopySource): Promise<TapeCopyWriter>;
  /** Without a folder a copy is compared and kept nowhere. */
  openReader(folder: string | null, onBytes: OnTapeBytes, reading?: TapeReading): Promise<TapeCopyReader>;
}

/** In the caller's thread, for drives that were opened there. */
export const tapeCopiesHere: TapeCopies = { openWriter: openTapeCopyWriter, openReader: openTapeCopyReader };
