import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import {
  type Area,
  areas,
  featureFolders,
  forbiddenRoles,
  sealedFolders,
  toolFolders,
} from './import-table.ts';
import { type Finding, type ImportOf, type SourceFile, targetOf } from './source-file.ts';

/** What package.json says: only `dependencies` are there when the product runs. */
export interface DeclaredPackages {
  readonly dependencies: ReadonlySet<string>;
}

/** Every import of the file that the table in import-table.ts does not allow. */
export function checkImports(file: SourceFile, declared: DeclaredPackages): readonly Finding[] {
  return file.imports.flatMap((found) => {
    const message = refusalOf(file, found, declared);
    return message === undefined ? [] : [{ path: file.path, line: found.line, message }];
  });
}

function refusalOf(file: SourceFile, found: ImportOf, declared: DeclaredPackages): string | undefined {
  const target = targetOf(file, found.specifier);
  const fromTools = isInside(file.path, toolFolders) || areaOf(file.path) === undefined;
  if ('package' in target)
    return fromTools ? undefined : packageRefusal(file, found, target.package, declared);
  if (!/\.[a-z]+$/.test(target.file)) return `write the extension: ${found.specifier}`;
  if (fromTools) return undefined;
  return fileRefusal(file, found, target.file);
}

function packageRefusal(
  file: SourceFile,
  found: ImportOf,
  name: string,
  declared: DeclaredPackages,
): string | undefined {
  const area = areaOf(file.path);
  if (area === undefined) return undefined;
  if (isBuiltin(name)) return area.node ? undefined : `${area.path} runs without Node: ${name}`;
  const allowed = area.packages === 'declared' || matches(name, area.packages);
  if (!allowed || matches(name, area.neverPackages ?? []))
    return `${area.path} may not import the package ${name}`;
  const bundled = area.path.startsWith('renderer') || name === 'electron';
  if (bundled || found.typeOnly || declared.dependencies.has(name)) return undefined;
  return `${name} is not in "dependencies" of package.json, so it is missing when the product runs`;
}

function fileRefusal(file: SourceFile, found: ImportOf, target: string): string | undefined {
  if (isInside(target, toolFolders)) return `nothing of the product imports ${target}`;
  const from = areaOf(file.path);
  const to = areaOf(target);
  if (from === undefined || to === undefined) return undefined; // a file of the root, such as package.json
  if (from !== to) return areaRefusal(from, to, found) ?? doorRefusal(to, target);
  return featureRefusal(file.path, target, found);
}

function areaRefusal(from: Area, to: Area, found: ImportOf): string | undefined {
  if (from.areas.includes(to.path)) return undefined;
  if (!from.areas.includes(`type:${to.path}`))
    return `${from.path} may not import ${to.path}: ${found.specifier}`;
  return found.typeOnly ? undefined : `${from.path} may import only types of ${to.path}: ${found.specifier}`;
}

function doorRefusal(to: Area, target: string): string | undefined {
  if (!sealedFolders.includes(to.path)) return undefined;
  return target === `${to.path}/index.ts`
    ? undefined
    : `${to.path} is sealed: import ${to.path}/index.ts, not ${target}`;
}

function featureRefusal(path: string, target: string, found: ImportOf): string | undefined {
  const folder = featureFolders.find((name) => isInside(path, [name]));
  if (folder === undefined) return undefined;
  const from = featureOf(path, folder);
  const to = featureOf(target, folder);
  if (from === to) return roleRefusal(path, target, found);
  if (to === undefined || from === undefined) return undefined; // shared by all features, beside their folders
  if (folder === 'renderer/features')
    return `a feature knows another one only by id and navigation: ${found.specifier}`;
  return roleOf(target) === 'service'
    ? undefined
    : `a feature knows another one only through its *-service.ts: ${found.specifier}`;
}

function roleRefusal(path: string, target: string, found: ImportOf): string | undefined {
  const role = roleOf(path);
  const other = roleOf(target);
  if (role === undefined || other === undefined || found.typeOnly) return undefined;
  const forbidden = forbiddenRoles[role]?.includes(other) === true;
  return forbidden
    ? `handlers → service → rules, store: a ${role} file does not import a ${other} file`
    : undefined;
}

function areaOf(path: string): Area | undefined {
  const matching = areas.filter((area) => isInside(path, [area.path]));
  return matching.sort((a, b) => b.path.length - a.path.length)[0];
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** The feature's folder; undefined for a file that lies beside the folders. */
function featureOf(path: string, folder: string): string | undefined {
  const [feature = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length === 0 ? undefined : feature;
}

/** `service` of `pool-service.ts`. */
function roleOf(path: string): string | undefined {
  return /-(handlers|service|store|rules)\.ts$/.exec(basename(path))?.[1];
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
