export const strategyRules = {} as const;
