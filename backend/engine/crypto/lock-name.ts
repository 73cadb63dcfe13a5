/** Beside the other files of an encrypted copy: with what it is encrypted, and its own key, wrapped by the client's. */
export const LOCK_NAME = 'key.json';
