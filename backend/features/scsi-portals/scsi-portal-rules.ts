/** How the paths of devices at this portal begin. */
export function pathPrefix({ address, port }: { readonly address: string; readonly port: number }): string {
  return `iscsi://${address.includes(':') ? `[${address}]` : address}:${port}/`;
}

/** Why the portal cannot go, or null. */
export function whyPortalStays(
  portal: { readonly address: string; readonly port: number },
  usedPaths: readonly string[],
): string | null {
  const used = usedPaths.filter((path) => path.startsWith(pathPrefix(portal)));
  if (used.length === 0) return null;
  return `a tape library uses ${used[0]} at the portal ${portal.address}; remove the library first`;
}

/** Why this user and password are no pair, with the field that has to change; null = they are, or there are none. */
export function whyNoPair(draft: {
  readonly user?: string | null | undefined;
  readonly password?: string | null | undefined;
}): { readonly field: 'user' | 'password'; readonly reason: string } | null {
  const hasUser = typeof draft.user === 'string';
  const hasPassword = typeof draft.password === 'string';
  if (hasUser === hasPassword) return null;
  const field = hasUser ? 'password' : 'user';
  return {
    field,
    reason: 'is missing: CHAP needs user and password; leave both out where the portal asks for none',
  };
}
