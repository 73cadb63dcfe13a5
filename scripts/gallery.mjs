// node scripts/gallery.mjs: draws every screen of the built app into out/gallery, which is outside git. Started by run.mjs.
import { join } from 'node:path';
import { runToEnd } from './support/child.mjs';
import { projectRoot, toolEnv } from './support/project.mjs';

const draw = [
  process.execPath,
  join(projectRoot, 'node_modules/@playwright/test/cli.js'),
  'test',
  '--config=test/gallery/playwright.config.ts',
];
// A keyring and a display of its own, as the tests of the window have them.
const [program, ...args] =
  process.platform === 'linux' ? ['test/lab/with-keyring.sh', '--', 'xvfb-run', '-a', ...draw] : draw;
process.exitCode = await runToEnd(program, args, { env: toolEnv(), input: 'ignore' });
