/** What the window speaks. */
export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

/** `system`: the first of the system's languages that the window speaks. */
export const languageChoices = ['system', ...languages] as const;

/** The language for what a person chose, or for what the system prefers (tags as `ru-RU`, the best first). */
export function languageFor(
  chosen: (typeof languageChoices)[number],
  preferred: readonly string[],
): Language {
  if (chosen !== 'system') return chosen;
  for (const tag of preferred) {
    const language = languages.find((one) => tag.toLowerCase().split(/[-_]/)[0] === one);
    if (language !== undefined) return language;
  }
  return 'en';
}
