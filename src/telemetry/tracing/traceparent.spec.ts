import { describe, expect, it } from '@jest/globals';
import { parseTraceParent } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    // A later version may add to it (W3C Trace Context, section 4).
    [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`, 1],
  ])('is read: %s', (text, flags) => {
    expect(parseTraceParent(text)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
  });

  it.each([
    undefined,
    '',
    'psk_0123456789',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
  ])('is ignored when it is malformed: %s', (text) => expect(parseTraceParent(text)).toBeUndefined());
});
