import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { mediaServers as en } from '../en/media-servers.ts';

export const mediaServers: Translated<typeof en> = {};
