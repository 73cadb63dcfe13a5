import { expect, it } from 'vitest';
import { chooseDevice, type DeviceCandidate } from '../../../backend/features/block-pools/device-rules.ts';

const device = (id: number, more: Partial<DeviceCandidate> = {}): DeviceCandidate => ({
  id,
  freeBytes: 100,
  hasCopyBefore: false,
  wasTooSmall: false,
  ...more,
});
const chosen = (...devices: DeviceCandidate[]) => chooseDevice(devices)?.id ?? null;

it('blocks go to the device with the most room, the first one of several', () => {
  expect(chosen()).toBeNull();
  expect(chosen(device(1), device(2, { freeBytes: 101 }), device(3))).toBe(2);
  expect(chosen(device(2), device(1))).toBe(1);
});

it('blocks go where those of the copy before are, while there is room', () => {
  expect(chosen(device(1), device(2, { freeBytes: 1, hasCopyBefore: true }))).toBe(2);
  expect(chosen(device(1), device(2, { freeBytes: 0, hasCopyBefore: true }))).toBe(1);
});

it('a device on which the copy did not fit is tried again only when there is no other', () => {
  const full = device(1, { freeBytes: 500, hasCopyBefore: true, wasTooSmall: true });
  expect(chosen(full, device(2, { freeBytes: 1 }))).toBe(2);
  expect(chosen(full)).toBe(1);
});
