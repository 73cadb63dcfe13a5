// What electron-builder makes of the app: AppImage, nsis, zip and dmg, each on its own kind of computer. Content, fuses and bill of
// materials are those of the Debian package: the hook below lays them, and electron-builder only packs.
import { join } from 'node:path';
import { findRuntime } from '../electron-runtime.mjs';
import { projectRoot } from '../support/project.mjs';
import { builderFolder } from './builder.mjs';
import { checkFuses, setFuses } from './fuses.mjs';
import { distributionOf, isOfficial, runtimeVersions } from './runtime.mjs';
import { layApp, readManifest } from './stage.mjs';

const manifest = readManifest();
const runtime = findRuntime();
if (runtime === undefined)
  throw new Error('there is no Electron; npm run package prepares one before this is read');
const isRelease = isOfficial(runtime);
const updatesFrom = process.env.STRONGROOM_UPDATES_FROM;

// biome-ignore lint/style/noDefaultExport: electron-builder reads this one.
export default {
  appId: 'io.strongroom.desktop',
  productName: 'Strongroom',
  copyright: 'Strongroom, MIT licence',
  electronDist: distributionOf(runtime),
  electronVersion: runtimeVersions(runtime).electron,
  extraMetadata: isRelease ? {} : { version: `${manifest.version}-test` },
  directories: {
    app: join(builderFolder, 'app'),
    buildResources: builderFolder,
    output: join(projectRoot, 'dist'),
  },
  files: ['**/*'],
  // A plain folder, as in the Debian package: workers and native modules load from it as they are.
  asar: false,
  // The hook lays the packages: every native one comes with binaries for Node-API, nothing is built. This answer says so.
  npmRebuild: true,
  beforeBuild: () => false,
  afterPack: layAndLock,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills it in.
  artifactName: '${name}-${version}-${os}-${arch}.${ext}',
  // Off: nothing is published, and the app asks nobody for updates. A feed's address makes the files that one would serve.
  publish: updatesFrom ? [{ provider: 'generic', url: updatesFrom, channel: 'latest' }] : null,
  linux: {
    target: ['AppImage', 'zip'],
    executableName: 'strongroom',
    icon: join(builderFolder, 'icons'),
    category: 'System',
    synopsis: manifest.description,
    maintainer: 'Strongroom <strongroom@localhost>',
    desktop: { entry: { GenericName: 'Backup administration', StartupWMClass: 'strongroom' } },
  },
  // The runtime that needs no libfuse2. Its launcher turns the sandbox off where there are no user namespaces; the app asks before it goes on so.
  toolsets: { appimage: '1.0.3' },
  // Without this, the entry of the desktop would start it without the sandbox everywhere.
  appImage: { executableArgs: [] },
  win: { target: ['nsis', 'zip'], icon: join(builderFolder, 'icon.ico') },
  nsis: {
    // Asks where to and for whom; settings and the data of the local backend stay when the app goes.
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
    createDesktopShortcut: false,
  },
  mac: {
    target: ['dmg', 'zip'],
    icon: join(builderFolder, 'icon.icns'),
    category: 'public.app-category.utilities',
    hardenedRuntime: true,
    // Signed and notarized where the builder's own variables (CSC_LINK, APPLE_ID …) give a certificate.
    notarize: Boolean(process.env.APPLE_ID),
  },
  dmg: { writeUpdateInfo: false },
};

/** After the runtime is unpacked and before it is signed: the app is laid into it, and its fuses are set and read back. */
async function layAndLock({ appOutDir, electronPlatformName, packager }) {
  if (electronPlatformName !== process.platform)
    throw new Error(
      `a package for ${electronPlatformName} is built on ${electronPlatformName}, where npm installs its native modules; this is ${process.platform}`,
    );
  const { productFilename } = packager.appInfo;
  const names = {
    darwin: join(`${productFilename}.app`, 'Contents', 'MacOS', productFilename),
    win32: `${productFilename}.exe`,
  };
  const executable = join(appOutDir, names[process.platform] ?? packager.executableName);
  const versions = runtimeVersions(executable);
  layApp({ resources: packager.getResourcesDir(appOutDir), manifest, versions });
  await setFuses(executable);
  await checkFuses(executable);
}
