export interface Start {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath: string;
  readonly hasSwitch: (name: string) => boolean;
}

/**
 * True where the app was started out of an AppImage without Chromium's sandbox: the launcher in there adds the switch by itself, and says
 * nothing, on a system that lets no program use user namespaces. A switch that a person gave looks the same.
 */
export function isSandboxLost({ env, execPath, hasSwitch }: Start): boolean {
  const mounted = env.APPDIR;
  return hasSwitch('no-sandbox') && Boolean(mounted) && execPath.startsWith(`${mounted}/`);
}
