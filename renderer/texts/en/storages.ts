export const storages = {} as const;
