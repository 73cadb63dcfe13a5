export const mediaServers = {} as const;
