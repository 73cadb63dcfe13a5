/** The simulated browser does not know when it rests; here it does as soon as what runs is done. */
globalThis.requestIdleCallback ??= (act) =>
  Number(setTimeout(() => act({ didTimeout: false, timeRemaining: () => 50 }), 0));
globalThis.cancelIdleCallback ??= (handle) => clearTimeout(handle);
