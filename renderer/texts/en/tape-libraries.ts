export const tapeLibraries = {} as const;
