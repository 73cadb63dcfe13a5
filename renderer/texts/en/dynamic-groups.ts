export const dynamicGroups = {} as const;
