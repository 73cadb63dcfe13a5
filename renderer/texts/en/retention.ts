export const retention = {} as const;
