import { bandwidthSuite } from '../../suites/bandwidth-suite.ts';

bandwidthSuite('SQLite', async () => ({}));
