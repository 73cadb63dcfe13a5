import { basesSuite } from '../../suites/bases-suite.ts';

basesSuite('SQLite', async () => ({}));
