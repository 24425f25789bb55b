import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the docs page, held in memory. */
export interface PageFile {
  readonly mediaType: string;
  readonly text: string;
}

/** The same from src/openapi and, copied by the build, from dist/openapi. */
const DIRECTORY = new URL('./page/', import.meta.url);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** The files of the docs page by the path that each is served at; `/docs` itself is index.html. */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map(
  readdirSync(DIRECTORY).flatMap((name): [string, PageFile][] => {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) return [];
    const text = readFileSync(fileURLToPath(new URL(name, DIRECTORY)), 'utf8');
    return [[name === 'index.html' ? '/docs' : `/docs/${name}`, { mediaType, text }]];
  }),
);
