import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { apiPrefix } from './mount.ts';
import { openApiDocument } from './openapi.ts';

const assetPrefix = `${apiPrefix}/page`;

/** Only own scripts and styles, only calls to this very server; the page cannot be framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Strongroom API</title>
<link rel="icon" type="image/png" href="${assetPrefix}/favicon-32x32.png">
<link rel="stylesheet" href="${assetPrefix}/swagger-ui.css">
<link rel="stylesheet" href="${assetPrefix}/page.css">
</head>
<body>
<nav aria-label="Groups of the API" id="tabs"></nav>
<div id="page"></div>
<script src="${assetPrefix}/swagger-ui-bundle.js"></script>
<script src="${assetPrefix}/page.js"></script>
</body>
</html>
`;

const style = `body { margin: 0; background: #fff; color: #1b1f24; font-family: system-ui, sans-serif; }
#tabs { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 4px; padding: 8px 20px; background: #f4f5f7; border-bottom: 1px solid #d0d4da; }
#tabs a { padding: 4px 10px; border-radius: 4px; color: #1b1f24; text-decoration: none; font-size: 14px; }
#tabs a:hover, #tabs a:focus-visible { background: #dfe3e8; }
`;

/** Tokens that are entered under Authorize live in the page's memory only and go when it is closed. */
const script = (tags: readonly string[]) => `const tabs = document.getElementById('tabs');
for (const name of ${JSON.stringify(tags)}) {
  const tab = document.createElement('a');
  tab.href = '#/' + encodeURIComponent(name);
  tab.textContent = name;
  tab.addEventListener('click', (event) => {
    event.preventDefault();
    const section = document.querySelector('[data-tag="' + name + '"]');
    if (section === null) return;
    if (section.dataset.isOpen === 'false') section.click();
    section.scrollIntoView({ block: 'start' });
  });
  tabs.append(tab);
}
// From 150 rows on, Swagger UI draws only what the window shows, which neither the tabs above nor the browser's
// own search can find: each group is drawn as a list of its own, so that all are there.
const groupByGroup = () => ({
  wrapComponents: {
    operations: (List, { React }) => (props) => {
      const groups = props.specSelectors.taggedOperations();
      return groups.keySeq().toArray().map((name) => React.createElement(List, {
        ...props,
        key: name,
        specSelectors: {
          ...props.specSelectors,
          taggedOperations: () => groups.filter((_, other) => other === name),
        },
      }));
    },
  },
});
SwaggerUIBundle({
  plugins: [groupByGroup],
  url: '${apiPrefix}/openapi.json',
  dom_id: '#page',
  docExpansion: 'list',
  persistAuthorization: false,
  validatorUrl: null,
  withCredentials: false,
});
`;

const packageAssets: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** The interactive page at the API's own address, everything served from here, and its specification. */
export function serveInteractivePage(app: FastifyInstance, version: string): void {
  let made: ReturnType<typeof openApiDocument> | undefined;
  /** Made when somebody asks: it takes a tenth of a second, which a start need not wait for. */
  const document = () => {
    made ??= openApiDocument(version);
    return made;
  };
  const tags = () => (document().tags as readonly { readonly name: string }[]).map(({ name }) => name);
  const html = (reply: FastifyReply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', policy)
      .header('Referrer-Policy', 'no-referrer')
      .send(page);
  app.get(apiPrefix, async (_request, reply) => html(reply));
  app.get(`${apiPrefix}/`, async (_request, reply) => html(reply));
  app.get(`${apiPrefix}/openapi.json`, async (_request, reply) => reply.send(document()));
  app.get(`${assetPrefix}/page.css`, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(style),
  );
  app.get(`${assetPrefix}/page.js`, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script(tags())),
  );
  for (const [name, type] of Object.entries(packageAssets)) serveAsset(app, name, type);
}

function serveAsset(app: FastifyInstance, name: string, type: string): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let loaded: Promise<{ readonly bytes: Buffer; readonly tag: string }> | undefined;
  const load = async () => {
    const bytes = await readFile(join(folder, name));
    return { bytes, tag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
  };
  app.get(`${assetPrefix}/${name}`, async (request, reply) => {
    loaded ??= load();
    const { bytes, tag } = await loaded;
    reply.header('ETag', tag).header('Cache-Control', 'no-cache');
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.type(type).send(bytes);
  });
}
