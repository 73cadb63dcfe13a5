import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

const folder = join(import.meta.dirname, '..', '..', 'out', 'gallery');
export const drawnThemes = ['light', 'dark'] as const;

export interface Album {
  /** Draws the window as it is now, in each theme. `chapter` and `title` are for people; file names are made of them. */
  readonly draw: (page: Page, chapter: string, title: string) => Promise<void>;
  /** Writes index.html over all that was drawn, also after a failure; answers its path. */
  readonly bind: () => string;
}

/** An empty album in out/gallery; pictures of an earlier one are gone. */
export function openAlbum(): Album {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const chapters = new Map<string, Map<string, string[]>>();
  return {
    draw: async (page, chapter, title) => {
      const files: string[] = [];
      for (const theme of drawnThemes) {
        await page.evaluate((wanted) => {
          document.documentElement.dataset.theme = wanted;
        }, theme);
        const file = `${slug(chapter)}-${slug(title)}-${theme}.png`;
        await page.screenshot({ path: join(folder, file), animations: 'disabled' });
        files.push(file);
      }
      const titles = chapters.get(chapter) ?? new Map<string, string[]>();
      if (titles.has(title)) throw new Error(`${chapter} has two pictures called ${title}`);
      chapters.set(chapter, titles.set(title, files));
    },
    bind: () => {
      const path = join(folder, 'index.html');
      writeFileSync(path, pageOf(chapters));
      return path;
    },
  };
}

function pageOf(chapters: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): string {
  const parts = [...chapters].map(([chapter, titles]) => {
    const rows = [...titles].map(([title, files]) => {
      const pictures = files.map((file) => `<a href="${file}"><img src="${file}" alt="" loading="lazy"></a>`);
      return `<figure><figcaption>${title}</figcaption><div>${pictures.join('')}</div></figure>`;
    });
    return `<section id="${slug(chapter)}"><h2>${chapter}</h2>${rows.join('\n')}</section>`;
  });
  const links = [...chapters.keys()].map((chapter) => `<a href="#${slug(chapter)}">${chapter}</a>`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Strongroom: screens</title>
<style>
  body { font: 15px/1.4 system-ui, sans-serif; margin: 24px; background: #f4f4f5; color: #18181b; }
  nav a { margin-right: 16px; }
  figure { margin: 0 0 24px; }
  figcaption { font-weight: 600; margin-bottom: 4px; }
  figure div { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
  img { width: 100%; border: 1px solid #a1a1aa; }
</style>
<h1>Strongroom: screens</h1>
<nav>${links.join('')}</nav>
${parts.join('\n')}
</html>
`;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}
