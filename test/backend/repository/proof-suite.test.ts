import { proofSuite } from '../../suites/proof-suite.ts';

proofSuite('SQLite', async () => ({}));
