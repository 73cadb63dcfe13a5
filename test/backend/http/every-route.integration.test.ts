import { everyRouteSuite } from '../../suites/every-route-suite.ts';
import { startTestApp } from '../../support/backend.ts';

everyRouteSuite('SQLite', (log) => startTestApp({ log, started: true }));
