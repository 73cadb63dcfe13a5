import { apiReference } from './http/api-reference.ts';

// Prints docs/api.md; `npm run generate` writes it.
process.stdout.write(apiReference());
