export const localBackend = {} as const;
