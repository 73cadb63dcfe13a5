export const strategies = {} as const;
