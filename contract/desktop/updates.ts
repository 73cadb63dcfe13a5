import { z } from 'zod';

const reason = 'must be an https address without a password, like https://updates.example.com/strongroom';

/**
 * Where new versions are looked for: a folder as electron-builder's `generic` provider serves it (`latest*.yml` beside the packages).
 * Empty: nowhere. Only https, without user, query or fragment.
 */
export const UpdateFeed = z
  .string()
  .trim()
  .max(2048, 'is too long')
  .regex(/^$|^https:\/\/[^\s/?#@:][^\s/?#@]*(\/[^\s?#]*)?$/, reason);
