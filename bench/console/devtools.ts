/** The browser's own protocol, as far as looking at one page needs it. */
export interface Protocol {
  /** Names the first page, or null as long as there is none. */
  readonly attachToPage: () => Promise<string | null>;
  /** What an expression says there; undefined while the page changes. */
  readonly evaluate: (page: string, expression: string) => Promise<unknown>;
  readonly close: () => void;
}

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly targetInfos?: readonly { readonly targetId: string; readonly type: string }[];
    readonly sessionId?: string;
    readonly result?: { readonly value?: unknown };
  };
  readonly error?: { readonly message: string };
}

export async function openProtocol(address: string): Promise<Protocol> {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)));
  });
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  let asked = 0;
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id === undefined) return;
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the program went away'));
  });
  const ask = (method: string, params: object, sessionId?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      socket.send(JSON.stringify({ id: asked, method, params, ...(sessionId ? { sessionId } : {}) }));
    });

  return {
    attachToPage: async () => {
      const { result } = await ask('Target.getTargets', {});
      const page = result?.targetInfos?.find(({ type }) => type === 'page');
      if (page === undefined) return null;
      const attached = await ask('Target.attachToTarget', { targetId: page.targetId, flatten: true });
      return attached.result?.sessionId ?? null;
    },
    evaluate: async (page, expression) =>
      (await ask('Runtime.evaluate', { expression, returnByValue: true }, page)).result?.result?.value,
    close: () => socket.close(),
  };
}
