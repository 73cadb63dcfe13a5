import { openApiDocument } from './http/openapi.ts';
import { productVersion } from './version.ts';

// Prints docs/openapi.json; `npm run generate` writes it.
process.stdout.write(`${JSON.stringify(openApiDocument(productVersion), null, 2)}\n`);
