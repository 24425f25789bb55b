/** The caller's place in its trace, as W3C Trace Context says it in `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Version 00 ends with its flags; a later one may go on (section 4 of the recommendation). */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Undefined when there is none or it is malformed: then the trace begins here. */
export function parseTraceParent(text: string | string[] | undefined): TraceParent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId, spanId, flags = '', more] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
