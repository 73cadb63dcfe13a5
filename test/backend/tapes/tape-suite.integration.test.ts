import { tapeSuite } from '../../suites/tape-suite.ts';

tapeSuite('SQLite', async () => ({}));
