import { repositorySuite } from '../../suites/repository-suite.ts';

repositorySuite('SQLite', async () => ({}));
