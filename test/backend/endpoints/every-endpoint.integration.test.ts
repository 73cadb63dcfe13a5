import { everyEndpointSuite } from './suite.ts';

everyEndpointSuite('SQLite');
