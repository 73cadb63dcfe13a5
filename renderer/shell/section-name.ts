import { textsOf, wordFor } from '../texts/index.ts';

const names = textsOf('shell').sections;

/** What a section is called; its id, which the settings and main know too, is the same in every language. */
export function sectionName(id: string): string {
  return wordFor(names, id);
}
