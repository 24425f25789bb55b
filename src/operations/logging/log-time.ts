let millisecond = Number.NaN;
let told = '';

/** Now, as RFC 3339 in UTC with milliseconds. The lines of one millisecond share it. */
export function logTime(): string {
  const nowMs = Date.now();
  if (nowMs !== millisecond) {
    millisecond = nowMs;
    told = new Date(nowMs).toISOString();
  }
  return told;
}
