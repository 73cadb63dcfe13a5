import { expect, test } from 'vitest';
import { isSandboxLost } from '../../../main/window/lost-sandbox.ts';

const mounted = '/tmp/.mount_StrongAbCd';

function start(switches: readonly string[], appDir: string | undefined, execPath = `${mounted}/strongroom`) {
  return { env: { APPDIR: appDir }, execPath, hasSwitch: (name: string) => switches.includes(name) };
}

test('an AppImage that was started without the sandbox is known (case 13)', () => {
  expect(isSandboxLost(start(['no-sandbox'], mounted))).toBe(true);
  expect(isSandboxLost(start([], mounted))).toBe(false);
});

test('what only has an AppImage around it, as in the terminal of one, is none itself', () => {
  expect(isSandboxLost(start(['no-sandbox'], mounted, '/opt/strongroom/strongroom'))).toBe(false);
  expect(isSandboxLost(start(['no-sandbox'], `${mounted}s`, `${mounted}/strongroom`))).toBe(false);
  expect(isSandboxLost(start(['no-sandbox'], undefined))).toBe(false);
  expect(isSandboxLost(start(['no-sandbox'], ''))).toBe(false);
});
