export const tapeBoard = {} as const;
