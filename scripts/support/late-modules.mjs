// A plugin of esbuild: a bundle takes of Node, and of packages with native code, only what it uses, and the larger ones when it first uses them.
import { createRequire } from 'node:module';

/**
 * Each thread of a job loads its modules anew, and most jobs need few of them: no cipher without encryption, no LZ4 where zstd is
 * chosen. An `import` of one of Node's modules also touches every name that it has, which loads streams and web cryptography
 * along. Measured with Node 24: a third of what it costs to start a thread of the engine.
 */
const LATE = ['node:crypto', 'node:zlib', '@napi-rs/blake-hash', '@toondepauw/node-zstd', 'lz4-napi'];
/**
 * The one that nearly every thread loads. It asks Node for a whole report of the process to tell glibc from musl: 2 to 3 ms in
 * each thread, and 5 to 12 where there are others, which all have to answer. So its native part is loaded without it.
 */
const WITHOUT_WRAPPER = '@napi-rs/blake-hash';
/** Has no native code and is no CommonJS either, so that Node 20 can only import it: it goes into the bundle. */
const BUNDLED = '@noble/ciphers';

const NAMESPACE = 'late-module';
const LOADER = 'late-module:load';
const require = createRequire(import.meta.url);

export const lateModules = {
  name: NAMESPACE,
  setup(build) {
    const taken = new RegExp(`^(?:${['node:.+', LOADER, ...LATE].join('|')})$`);
    build.onResolve({ filter: taken }, ({ path }) => ({ path, namespace: NAMESPACE, sideEffects: false }));
    build.onResolve({ filter: new RegExp(`^${BUNDLED}/`) }, ({ path }) => ({ path: require.resolve(path) }));
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => {
      if (path === LOADER) return { contents: loaderSource };
      return { contents: LATE.includes(path) ? lateSource(path) : builtinSource(path) };
    });
  },
};

/** Only a module of its own may ask where it is. */
const loaderSource = `
export const load = (name) =>
  process.getBuiltinModule(name) ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);
export const loadNative = (name) => {
  try {
    if (process.platform === 'linux') return load(name + '-linux-' + process.arch + '-gnu');
  } catch {
    // Another C library: the package itself knows which, and says what is missing.
  }
  return load(name);
};
`;

/** An object with a getter for each name that the module has here; one that the runtime lacks is undefined there, too. */
function lateSource(name) {
  const getters = namesOf(name).map((key) => `get ${key}() { return its().${key}; },`);
  const loading = name === WITHOUT_WRAPPER ? 'loadNative' : 'load';
  return `const { ${loading} } = require(${JSON.stringify(LOADER)});
let found;
const its = () => (found ??= ${loading}(${JSON.stringify(name)}));
module.exports = {
${getters.join('\n')}
};
`;
}

/** Names that nobody imports are left out by the bundler, since no call that is said to be pure is needed for them. */
function builtinSource(name) {
  const exported = namesOf(name).map(
    (key, at) => `const its${at} = /* @__PURE__ */ of(${JSON.stringify(key)});
export { its${at} as ${key} };`,
  );
  return `const module = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(name)});
const of = (key) => module[key];
export default module;
${exported.join('\n')}
`;
}

function namesOf(name) {
  return Object.keys(process.getBuiltinModule(name) ?? require(name)).filter((key) => key !== 'default');
}
