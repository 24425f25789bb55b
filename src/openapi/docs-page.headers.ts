import type { Headers } from '../http/headers.js';

/** Nothing from another host, nothing inline, no frames: a key that is typed into the page can leave it to this service alone. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  // The page makes elements, never HTML out of text: what would, fails.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page needs none of them. It does write to the clipboard. */
const REFUSED_FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture', 'encrypted-media'],
  ...['fullscreen', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

/**
 * What the docs page and its files carry besides. `Strict-Transport-Security` is not among them: who ends TLS sends it, for
 * browsers ignore it over plain HTTP.
 */
export const DOCS_PAGE_HEADERS: Headers = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': REFUSED_FEATURES.map((feature) => `${feature}=()`).join(', '),
};
