export const pools = {} as const;
