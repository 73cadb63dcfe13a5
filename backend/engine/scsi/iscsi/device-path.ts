import { isIP } from 'node:net';
import type { PortalAddress } from './connection.ts';
import { portalName } from './connection.ts';
import { isTargetName } from './discover.ts';

/** What an `iscsi://address:port/iqn/lun` path names. */
export interface IscsiPath extends PortalAddress {
  readonly targetName: string;
  readonly lun: number;
}

export function formatIscsiPath(path: IscsiPath): string {
  return `iscsi://${portalName(path)}/${path.targetName}/${path.lun}`;
}

/** Null when the text is no such path. */
export function parseIscsiPath(text: string): IscsiPath | null {
  const found = /^iscsi:\/\/(?:\[([^\]]+)\]|([^:/[\]]+)):(\d{1,5})\/([^/]+)\/(\d{1,5})$/.exec(text);
  if (!found) return null;
  const [, bracketed, plain, port, targetName = '', lun] = found;
  const address = bracketed ?? plain ?? '';
  const parsed = { address, port: Number(port), targetName, lun: Number(lun) };
  const isRight =
    (bracketed === undefined ? isPortalAddress(address) : isIP(address) === 6) &&
    parsed.port >= 1 &&
    parsed.port <= 65_535 &&
    parsed.lun < 0x4000 &&
    isTargetName(targetName);
  return isRight ? parsed : null;
}

/** A name of the DNS, an IPv4 or an IPv6 address. */
export function isPortalAddress(text: string): boolean {
  if (isIP(text) !== 0) return true;
  return text.length <= 253 && /^(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*\.?$/i.test(text);
}
