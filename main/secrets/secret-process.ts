import { type SecretAnswer, SecretRequest } from './secret-protocol.ts';

/**
 * The process that touches the keychain, and nothing else. The library may hang or crash, and its calls fill the
 * threads that read files: here that hurts nobody. It ends with whoever started it.
 */

interface Port {
  readonly post: (answer: SecretAnswer) => void;
  readonly listen: (listener: (message: unknown) => void) => void;
}

interface UtilityPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

function openPort(): Port {
  const utility = (process as unknown as { readonly parentPort?: UtilityPort }).parentPort;
  if (utility)
    return {
      post: (answer) => utility.postMessage(answer),
      listen: (listener) => utility.on('message', ({ data }) => listener(data)),
    };
  // Forked by plain Node, as tests do.
  process.on('disconnect', () => process.exit(0));
  return { post: (answer) => process.send?.(answer), listen: (listener) => process.on('message', listener) };
}

type Keytar = Pick<typeof import('keytar'), 'getPassword' | 'setPassword' | 'deletePassword'>;
let loading: Promise<Keytar> | undefined;

/** Loaded on the first call: where the system library is missing, that is an answer and not a crash at start. */
async function loadKeytar(): Promise<Keytar> {
  loading ??= import('keytar').then((loaded) => (loaded as { readonly default?: Keytar }).default ?? loaded);
  return loading;
}

async function answer(request: SecretRequest): Promise<SecretAnswer> {
  const { id, service, account } = request;
  let keytar: Keytar;
  try {
    keytar = await loadKeytar();
  } catch (error) {
    return { id, ok: false, message: messageOf(error), missing: true };
  }
  try {
    if (request.op === 'get')
      return { id, ok: true, value: await keytar.getPassword(service, account), deleted: false };
    if (request.op === 'delete')
      return { id, ok: true, value: null, deleted: await keytar.deletePassword(service, account) };
    await keytar.setPassword(service, account, request.value);
    return { id, ok: true, value: null, deleted: false };
  } catch (error) {
    return { id, ok: false, message: messageOf(error), missing: false };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const port = openPort();
port.listen((message) => {
  const request = SecretRequest.safeParse(message);
  if (!request.success) return;
  answer(request.data).then(
    (result) => port.post(result),
    (error: unknown) =>
      port.post({ id: request.data.id, ok: false, message: messageOf(error), missing: false }),
  );
});
