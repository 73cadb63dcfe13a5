/** Counts of Playwright's JSON report: `{ passed, failed: names, skipped: { name, reason }[] }`. */
export function countPlaywright(report) {
  const counts = {
    passed: 0,
    failed: report.errors.map((error) => `outside of a test: ${error.message}`),
    skipped: [],
  };
  for (const suite of report.suites) addSuite(counts, suite, []);
  return counts;
}

function addSuite(counts, suite, parents) {
  const path = [...parents, suite.title];
  for (const child of suite.suites ?? []) addSuite(counts, child, path);
  for (const spec of suite.specs) {
    const name = [...path, spec.title].join(' > ');
    for (const test of spec.tests) addTest(counts, name, test);
  }
}

function addTest(counts, name, test) {
  if (test.status === 'expected') counts.passed += 1;
  else if (test.status === 'skipped') counts.skipped.push({ name, reason: skipReason(test) });
  else counts.failed.push(name); // unexpected, or flaky: a test that passes only sometimes has failed
}

function skipReason(test) {
  const note = test.annotations.find(
    (annotation) => annotation.type === 'skip' || annotation.type === 'fixme',
  );
  return note?.description ?? 'no reason given';
}
