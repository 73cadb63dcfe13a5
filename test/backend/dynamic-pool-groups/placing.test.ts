import { placingSuite } from '../../suites/placing-suite.ts';

placingSuite('SQLite', async () => ({}));
