export const copies = {} as const;
