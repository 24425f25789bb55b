/** The caller's place in its trace, as W3C Trace Context says it in `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const FORM = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The length of version 00. A later one may go on after a dash (section 4 of the recommendation). */
const LENGTH = 55;

/**
 * Undefined when there is none or it is malformed: then the trace begins here. OpenTelemetry's own parser comes with 39 of its
 * files, and nothing of it is loaded unless somebody wants traces; the log needs the identifier always.
 */
export function parseTraceParent(text: string | string[] | undefined): TraceParent | undefined {
  if (typeof text !== 'string' || !FORM.test(text)) return undefined;
  if (text.length > LENGTH && text.startsWith('00')) return undefined;
  return {
    traceId: text.slice(3, 35),
    spanId: text.slice(36, 52),
    flags: Number.parseInt(text.slice(53, LENGTH), 16),
  };
}
