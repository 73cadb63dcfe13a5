export const restore = {} as const;
