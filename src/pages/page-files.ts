import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Headers } from '../errors/api-error.js';

/** A file of a page, held in memory. */
export interface PageFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export function readPageFile(url: URL): PageFile {
  const path = fileURLToPath(url);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { name, mediaType: MEDIA_TYPES[extname(name)] ?? '', text: readFileSync(path, 'utf8') };
}

/** The files of a page, with those that all pages share. They are served side by side. */
export const readPageFiles = (page: 'docs' | 'dashboard'): readonly PageFile[] =>
  [page, 'shared'].flatMap((name) => {
    const folder = new URL(`./${name}/`, import.meta.url);
    return readdirSync(folder)
      .filter((file) => extname(file) in MEDIA_TYPES)
      .map((file) => readPageFile(new URL(file, folder)));
  });

/** Nothing from another host, nothing inline, no frames: a key typed into the page can only be sent to this service. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  // The page creates elements, never HTML from text: that would fail.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page needs none of them. It does write to the clipboard. */
const DISABLED_FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture', 'encrypted-media'],
  ...['fullscreen', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

/**
 * Headers of a page and its files. `Strict-Transport-Security` is missing: browsers ignore it over plain HTTP, so the
 * proxy that terminates TLS sends it.
 */
export const PAGE_HEADERS: Headers = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  // For browsers without frame-ancestors.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
};
