/** A device that a new copy could go to. */
export interface DeviceCandidate {
  readonly id: number;
  readonly freeBytes: number;
  /** The copy before of the same resource has its blocks there, so most of them need not be written. */
  readonly hasCopyBefore: boolean;
  /** The same task has found too little room there. */
  readonly wasTooSmall: boolean;
}

/**
 * The device for a copy's blocks: that of the copy before while it has room, since blocks are shared within a device only;
 * else the one with the most room. One that was too small for this copy comes last. Null when there is none. Pure.
 */
export function chooseDevice(candidates: readonly DeviceCandidate[]): DeviceCandidate | null {
  const untried = candidates.filter((one) => !one.wasTooSmall);
  const [first] = [...(untried.length > 0 ? untried : candidates)].sort(
    (a, b) =>
      Number(b.freeBytes > 0 && b.hasCopyBefore) - Number(a.freeBytes > 0 && a.hasCopyBefore) ||
      b.freeBytes - a.freeBytes ||
      a.id - b.id,
  );
  return first ?? null;
}
