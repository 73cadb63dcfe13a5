export const bandwidth = {} as const;
