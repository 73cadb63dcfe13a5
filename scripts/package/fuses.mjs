import { FuseState, FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses';

/** What the runtime of a package may do. Nobody can make it run other code than its own by its environment or arguments. */
export const wantedFuses = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // The app lies in a folder that belongs to root; workers and native modules load from it as they are.
  [FuseV1Options.OnlyLoadAppFromAsar]: false,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
};

export async function setFuses(executable) {
  await flipFuses(executable, {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: false,
    // Apple's processors run no file whose signature does not fit it; the real signing comes after.
    resetAdHocDarwinSignature: process.platform === 'darwin' && process.arch === 'arm64',
    ...wantedFuses,
  });
}

/** Read back from the file: what was asked for is what is there. A fuse that this runtime has not got is none to be wrong. */
export async function checkFuses(executable) {
  const wire = await getCurrentFuseWire(executable);
  for (const [fuse, isOn] of Object.entries(wantedFuses)) {
    const found = wire[fuse];
    if (found === undefined || found === FuseState.REMOVED) continue;
    if ((found === FuseState.ENABLE) !== isOn)
      throw new Error(`the fuse ${FuseV1Options[fuse]} of ${executable} is not ${isOn ? 'on' : 'off'}`);
  }
  return wire;
}
