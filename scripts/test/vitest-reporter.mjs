import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes what scripts/test.mjs adds up: vitest's own JSON leaves out why a test was skipped and errors outside of tests. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      for (const test of module.children.allTests()) addTest(counts, module.relativeModuleId, test);
      // A file that cannot be loaded, or whose set-up fails, runs none of its tests: it counts as one that failed.
      if (module.errors().length > 0) counts.failed.push(module.relativeModuleId);
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) counts.failed.push(`${module.relativeModuleId} > ${suite.fullName}`);
      }
    }
    for (const error of unhandledErrors) counts.failed.push(`outside of a test: ${error.message}`);
    const path = process.env.STRONGROOM_VITEST_COUNTS;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(counts));
  }
}

function addTest(counts, file, test) {
  const name = `${file} > ${test.fullName}`;
  const result = test.result();
  if (result.state === 'passed') counts.passed += 1;
  else if (result.state === 'skipped')
    counts.skipped.push({ name, reason: result.note ?? 'no reason given' });
  else counts.failed.push(name);
}
