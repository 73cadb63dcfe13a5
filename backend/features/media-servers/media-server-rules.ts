import { counted } from '../bulk.ts';

export interface MediaServerUse {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  readonly pools: number;
}

/** Why the server cannot go, or null. */
export function whyMediaServerStays(server: MediaServerUse): string | null {
  if (server.role === 'primary') return `the primary server \`${server.name}\` cannot be removed`;
  if (server.pools === 0) return null;
  return `the media server \`${server.name}\` has ${counted(server.pools, 'pool')}; remove them first`;
}
