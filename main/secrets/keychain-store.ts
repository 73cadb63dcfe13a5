import { randomBytes } from 'node:crypto';
import { createSignal } from '../platform/signals.ts';
import { type Name, t } from '../texts/index.ts';
import { createKeychainCaller, KeychainSilent, type StartSecretChild } from './keychain-caller.ts';
import type { SecretAnswer } from './secret-protocol.ts';
import type { KeychainStatus, SecretStore } from './secret-store.ts';
import { isStorable, joinParts, partAccount, partCount, splitValue } from './stored-value.ts';

export interface KeychainOptions {
  readonly start: StartSecretChild;
  /** Under which name the entries stand in the keychain. */
  readonly service: string;
  readonly limitMs?: number;
}

const probeAccount = '__probe__';

class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: KeychainStatus;

  constructor(status: KeychainStatus) {
    super(status.message);
    this.status = status;
  }
}

/**
 * The keychain of the operating system. A locked one answers "nothing there" instead of an error, so an empty answer
 * counts only when a probe entry can be written and read back right after it. Nothing is ever enumerated: that
 * crashes on a locked keychain.
 */
export function createKeychainStore(options: KeychainOptions): SecretStore {
  const { service } = options;
  const caller = createKeychainCaller(options.start, options.limitMs);
  const changed = createSignal<KeychainStatus>();
  let status: KeychainStatus = { state: 'unknown', message: '' };

  const setStatus = (next: KeychainStatus): KeychainStatus => {
    const same = next.state === status.state && next.message === status.message;
    status = next;
    if (!same) changed.tell(next);
    return next;
  };

  const open = (answer: SecretAnswer): Extract<SecretAnswer, { ok: true }> => {
    if (answer.ok) return answer;
    // A lost connection to the keychain does not come back in the same process.
    caller.restart();
    throw new Failure(statusOf(answer.message, answer.missing));
  };

  const read = async (account: string): Promise<string | null> =>
    open(await caller.ask({ op: 'get', service, account })).value;
  const write = async (account: string, value: string): Promise<void> => {
    open(await caller.ask({ op: 'set', service, account, value }));
  };
  /** True when the entry is surely gone: "not deleted" may mean "was not there" or "locked". */
  const erase = async (account: string): Promise<boolean> => {
    const { deleted } = open(await caller.ask({ op: 'delete', service, account }));
    return deleted || (await read(account)) === null;
  };

  const statusOfError = (error: unknown): KeychainStatus => {
    if (error instanceof Failure) return error.status;
    if (error instanceof KeychainSilent) return told('hung', 'keychain.hung');
    return told('absent', 'keychain.broken');
  };

  const probe = async (): Promise<KeychainStatus> => {
    const value = randomBytes(16).toString('hex');
    try {
      await write(probeAccount, value);
      const same = (await read(probeAccount)) === value;
      if (!same) return setStatus(told('locked', 'keychain.locked'));
      await erase(probeAccount);
      return setStatus({ state: 'ok', message: '' });
    } catch (error) {
      return setStatus(statusOfError(error));
    }
  };

  /** After `hung`, nobody waits again for each single entry: only a probe leads out of it. */
  const isUsable = async (): Promise<boolean> => {
    if (status.state === 'unknown') await probe();
    return status.state === 'ok' || status.state === 'locked';
  };

  const removeParts = async (account: string, from: number, count: number): Promise<void> => {
    for (let index = from; index < count; index++) await erase(partAccount(account, index));
  };

  return {
    status: () => status,
    onStatus: changed.listen,
    probe,
    get: async (account) => {
      if (!(await isUsable())) return { kind: 'failed', status };
      try {
        const entry = await read(account);
        if (entry === null)
          return (await probe()).state === 'ok' ? { kind: 'none' } : { kind: 'failed', status };
        const count = partCount(entry);
        if (count === 0) return { kind: 'found', value: entry };
        const parts: (string | null)[] = [];
        for (let index = 0; index < count; index++) parts.push(await read(partAccount(account, index)));
        const value = joinParts(entry, parts);
        return value === null ? { kind: 'none' } : { kind: 'found', value };
      } catch (error) {
        return { kind: 'failed', status: setStatus(statusOfError(error)) };
      }
    },
    set: async (account, value) => {
      if (!isStorable(value) || !(await isUsable())) return false;
      try {
        const before = partCount((await read(account)) ?? '');
        const split = splitValue(value);
        for (const [index, part] of (split?.parts ?? []).entries())
          await write(partAccount(account, index), part);
        // Last, so that a header never names parts that are not there yet.
        await write(account, split?.header ?? value);
        await removeParts(account, split?.parts.length ?? 0, before);
        setStatus({ state: 'ok', message: '' });
        return true;
      } catch (error) {
        setStatus(statusOfError(error));
        return false;
      }
    },
    remove: async (account) => {
      if (!(await isUsable())) return false;
      try {
        const count = partCount((await read(account)) ?? '');
        const gone = await erase(account);
        await removeParts(account, 0, count);
        return gone && (await probe()).state === 'ok';
      } catch (error) {
        setStatus(statusOfError(error));
        return false;
      }
    },
    close: () => caller.close(),
  };
}

/** The messages are those of libsecret, D-Bus, the Windows credential store and the macOS keychain. */
function statusOf(message: string, missing: boolean): KeychainStatus {
  const text = message.toLowerCase();
  if (missing) return told('absent', 'keychain.broken');
  if (/dismiss|cancel/.test(text)) return told('locked', 'keychain.dismissed');
  if (/locked|interaction is not allowed/.test(text)) return told('locked', 'keychain.locked');
  if (/timeout|timed out/.test(text)) return told('hung', 'keychain.hung');
  if (/not provided|could not connect|autolaunch|does not exist at path|no such secret collection/.test(text))
    return told('absent', 'keychain.absent');
  return told('absent', 'keychain.broken');
}

/** Kept as long as it is so: its sentence is in the language of the moment. */
function told(state: KeychainStatus['state'], text: Name): KeychainStatus {
  return {
    state,
    get message() {
      return t(text);
    },
  };
}
