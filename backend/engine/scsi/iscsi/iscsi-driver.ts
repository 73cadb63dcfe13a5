import type { FoundDevices, LibraryDriver } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { joinedDevices, type OpenUnit, openUnit, scanTarget, unitOpeners } from '../target.ts';
import { openConnection, portalName } from './connection.ts';
import { formatIscsiPath, type IscsiPath, parseIscsiPath } from './device-path.ts';
import { createIscsiTransport, discoverTargets, type IscsiOptions, type IscsiPortal } from './initiator.ts';

export interface IscsiDriverOptions extends IscsiOptions {
  /** Where to look; nothing else is ever connected to. */
  readonly portals: () => Promise<readonly IscsiPortal[]>;
  /** A portal or target that a scan leaves out, and why. */
  readonly onLeftOut?: (where: string, error: unknown) => void;
}

const kind = 'iscsi';
/** A scan does not wait long for what is switched off. */
const scanLoginMs = 8_000;
const isThereMs = 1_000;

/** Robots and drives behind iSCSI portals. Each opened device has a session of its own, so that none disturbs another. */
export function createIscsiDriver(options: IscsiDriverOptions): LibraryDriver {
  const portalOf = async (path: IscsiPath): Promise<IscsiPortal | undefined> => {
    const portals = await options.portals();
    return portals.find((one) => portalName(one).toLowerCase() === portalName(path).toLowerCase());
  };
  const scanPortal = async (portal: IscsiPortal, signal: AbortSignal): Promise<FoundDevices> => {
    const quick = { ...options, loginMs: Math.min(scanLoginMs, options.loginMs ?? scanLoginMs) };
    const targets = await discoverTargets(portal, quick, signal);
    const all: FoundDevices[] = [];
    for (const { name } of targets) {
      signal.throwIfAborted();
      const transport = createIscsiTransport(portal, name, quick);
      try {
        const pathOf = (lun: number): string => formatIscsiPath({ ...portal, targetName: name, lun });
        all.push(await scanTarget(transport, pathOf, signal));
      } catch (error) {
        signal.throwIfAborted();
        options.onLeftOut?.(`${portalName(portal)}/${name}`, error);
      } finally {
        await transport.close();
      }
    }
    return joinedDevices(all);
  };
  const open = async (text: string, type: number, signal: AbortSignal): Promise<OpenUnit> => {
    const path = parseIscsiPath(text);
    const portal = path === null ? undefined : await portalOf(path);
    if (path === null || portal === undefined) {
      throw new DeviceError('notFound', `${text}: its portal is not configured; add it to the SCSI portals.`);
    }
    const transport = createIscsiTransport(portal, path.targetName, options);
    return openUnit(transport, { lun: path.lun, path: text, type }, signal);
  };

  return {
    kind,
    owns: (path) => parseIscsiPath(path) !== null,
    isThere: async (text) => {
      const path = parseIscsiPath(text);
      if (path === null) return false;
      try {
        if ((await portalOf(path)) === undefined) return false;
        (await openConnection(path, { timeoutMs: isThereMs })).destroy();
        return true;
      } catch {
        // No answer, whatever the reason: it cannot be used now.
        return false;
      }
    },
    scan: async (signal) => {
      const portals = await options.portals();
      const found = await Promise.all(
        portals.map((portal) =>
          scanPortal(portal, signal).catch((error: unknown): FoundDevices => {
            signal.throwIfAborted();
            options.onLeftOut?.(portalName(portal), error);
            return { changers: [], drives: [] };
          }),
        ),
      );
      signal.throwIfAborted();
      return joinedDevices(found);
    },
    ...unitOpeners(open),
  };
}
