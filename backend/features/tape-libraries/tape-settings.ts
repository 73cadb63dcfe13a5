import type { ConfigurationService } from '../configuration/configuration-service.ts';

/** What of the configuration is about tapes: read with each use, so that a change counts at once. */
export type TapeSettings = Pick<ConfigurationService, 'read' | 'noteCleaning'>;

/** Ends the patience with a drive that does not release its cartridge (`cartridge_unload_timeout`; 0: none has). */
export async function unloadPatience(settings: TapeSettings): Promise<AbortSignal> {
  const { cartridge_unload_timeout: seconds } = await settings.read();
  return seconds === 0 ? new AbortController().signal : AbortSignal.timeout(seconds * 1000);
}
