/**
 * Who may import whom: the one place to read and to change it (docs/architecture.md explains it). The area with the longest
 * matching folder holds for a file. What an area does not name it may not import.
 */
export interface Area {
  /** Folder of the area, or one file. */
  readonly path: string;
  /** Areas it may import, besides itself. `type:` before a name allows types only. */
  readonly areas: readonly string[];
  /** Packages it may import: names, `@scope/*`, or 'declared' for every package.json dependency that is not `neverPackages`. */
  readonly packages: readonly string[] | 'declared';
  readonly neverPackages?: readonly string[];
  /** Node's own modules. */
  readonly node: boolean;
}

const windowPackages = [
  'react',
  'react-dom',
  'zustand',
  'zod',
  '@radix-ui/*',
  '@tanstack/*',
  '@fontsource/*',
  '@fontsource-variable/*',
  'lucide-react',
  'get-nonce',
  'uplot',
];
/** Dialogs, menus and the like are made in the kit alone, so that each of them has its rules: what asks before it closes, who gets the focus. */
const screenPackages = windowPackages.filter((name) => name !== '@radix-ui/*');
const desktopPackages = ['electron', 'keytar', 'undici', ...windowPackages.filter((name) => name !== 'zod')];
const serverPackages = ['fastify', '@fastify/*', 'kysely', 'pg', 'jose', 'zod'];

export const areas: readonly Area[] = [
  { path: 'contract', areas: [], packages: ['zod'], node: false },
  { path: 'contract/texts', areas: ['contract'], packages: ['i18next'], node: false },
  { path: 'preload', areas: ['type:contract'], packages: ['electron'], node: false },

  {
    path: 'main',
    areas: ['contract', 'contract/texts'],
    packages: ['electron', 'undici', 'keytar', 'zod'],
    node: true,
  },

  {
    path: 'renderer',
    areas: ['contract', 'renderer/ui', 'renderer/shell', 'renderer/features', 'renderer/texts'],
    packages: windowPackages,
    node: false,
  },
  {
    path: 'renderer/shell',
    areas: [
      'contract',
      'renderer',
      'renderer/ui',
      'renderer/features',
      'renderer/shell/palette.tsx',
      'renderer/texts',
    ],
    packages: screenPackages,
    node: false,
  },
  {
    path: 'renderer/shell/palette.tsx',
    areas: ['contract', 'renderer', 'renderer/ui', 'renderer/shell', 'renderer/features', 'renderer/texts'],
    packages: windowPackages,
    node: false,
  },
  {
    path: 'renderer/features',
    areas: ['contract', 'renderer', 'renderer/ui', 'renderer/shell', 'renderer/texts'],
    packages: screenPackages,
    node: false,
  },
  { path: 'renderer/texts', areas: ['contract', 'contract/texts'], packages: ['react'], node: false },
  { path: 'renderer/ui', areas: ['renderer/texts'], packages: windowPackages, node: false },

  {
    path: 'backend',
    areas: [
      'contract',
      'backend/http',
      'backend/features',
      'backend/jobs',
      'backend/engine',
      'backend/db',
      'backend/platform',
    ],
    packages: 'declared',
    neverPackages: desktopPackages,
    node: true,
  },
  {
    path: 'backend/http',
    areas: ['contract', 'backend/db', 'backend/platform'],
    packages: 'declared',
    neverPackages: [...desktopPackages, 'kysely', 'pg'],
    node: true,
  },
  {
    path: 'backend/features',
    areas: ['contract', 'backend/http', 'backend/db', 'backend/jobs', 'backend/engine', 'backend/platform'],
    packages: 'declared',
    neverPackages: desktopPackages,
    node: true,
  },
  {
    path: 'backend/jobs',
    areas: ['backend/db', 'backend/platform'],
    packages: ['zod', 'kysely'],
    node: true,
  },
  {
    path: 'backend/db',
    areas: ['backend/platform'],
    packages: ['kysely', 'pg', '@photostructure/sqlite'],
    node: true,
  },
  {
    path: 'backend/engine',
    areas: ['backend/platform'],
    packages: 'declared',
    neverPackages: [...desktopPackages, ...serverPackages],
    node: true,
  },
  {
    path: 'backend/platform',
    areas: ['type:contract'],
    packages: 'declared',
    neverPackages: [...desktopPackages, 'fastify', '@fastify/*', 'kysely', 'pg'],
    node: true,
  },
];

/** Folders with one door: from outside only `index.ts` is imported. Their tests and benchmarks may look inside. */
export const sealedFolders: readonly string[] = [
  'backend/engine',
  'backend/jobs',
  'backend/db',
  'renderer/ui',
];

/** Folders whose subfolders are features. */
export const featureFolders: readonly string[] = ['backend/features', 'renderer/features'];

/** What each role of a backend feature may not import of its own feature: handlers → service → rules, store. */
export const forbiddenRoles: Readonly<Record<string, readonly string[]>> = {
  handlers: ['store'],
  service: ['handlers'],
  store: ['handlers', 'service'],
  rules: ['handlers', 'service', 'store'],
};

/** Only tests, benchmarks and tools may import these and each other. */
export const toolFolders: readonly string[] = ['test', 'lint', 'scripts', 'bench'];
