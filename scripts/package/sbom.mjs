import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmCommand } from '../support/npm.mjs';
import { projectRoot, toolEnv } from '../support/project.mjs';

/**
 * The software bill of materials (CycloneDX) of what is in the package: npm's own, and the runtime. Throws when a packaged module is not in it.
 */
export function billOfMaterials({ manifest, modules, versions }) {
  const bill = askNpm(manifest, modules);
  const refs = new Map(modules.map(({ name, version }) => [`${name}@${version}`, true]));
  const components = bill.components
    .map((one) => withRealName(one, modules))
    .filter((one) => refs.has(`${fullName(one)}@${one.version}`));
  const listed = new Set(components.map((one) => `${fullName(one)}@${one.version}`));
  const missing = [...refs.keys()].filter((ref) => !listed.has(ref));
  if (missing.length > 0)
    throw new Error(
      `the bill of materials that npm makes has no ${missing.join(', ')}; is package-lock.json current?`,
    );
  const kept = new Set([...components.map((one) => one['bom-ref']), bill.metadata.component['bom-ref']]);
  const runtime = Object.entries({
    electron: ['Electron', 'pkg:npm/electron', versions.electron],
    chromium: ['Chromium', 'pkg:generic/chromium', versions.chrome],
    node: ['Node.js', 'pkg:generic/nodejs', versions.node],
    v8: ['V8', 'pkg:generic/v8', versions.v8],
    boringssl: ['BoringSSL', 'pkg:generic/boringssl', versions.openssl],
  }).map(([name, [description, purl, version]]) => ({
    type: 'framework',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    description,
    purl: `${purl}@${version}`,
  }));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, version: manifest.version } },
    components: [...components, ...runtime],
    dependencies: bill.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}

/** Of a lock file that has what is packaged and nothing else: no tools, no workspaces, no binaries of other platforms. */
function askNpm(manifest, modules) {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const { name, version, license, dependencies } = manifest;
  const own = { name, version, license, dependencies };
  const packages = Object.fromEntries(modules.map(({ path }) => [path, lock.packages[path]]));
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-sbom-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
    const { lockfileVersion } = lock;
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ name, version, lockfileVersion, requires: true, packages: { '': own, ...packages } }),
    );
    const options = [
      '--package-lock-only',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      '--offline',
    ];
    const { program, args } = npmCommand(['sbom', ...options]);
    const { status, stdout } = spawnSync(program, args, {
      cwd: folder,
      env: toolEnv(),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 2],
    });
    if (status !== 0) throw new Error('npm could not make the bill of materials; it says why above');
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm names a package as the app calls it; where that is an alias, those who look for faults know it by its own name. */
function withRealName(component, modules) {
  const real = modules.find(
    ({ path, name, version }) =>
      path === `node_modules/${fullName(component)}` &&
      name !== fullName(component) &&
      version === component.version,
  );
  if (real === undefined) return component;
  const { group: _group, ...rest } = component;
  const purl = `pkg:npm/${real.name.replace('@', '%40')}@${real.version}`;
  return { ...rest, name: real.name, purl };
}

function fullName({ name, group }) {
  return group ? `${group}/${name}` : name;
}
