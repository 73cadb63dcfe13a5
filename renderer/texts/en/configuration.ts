export const configuration = {} as const;
