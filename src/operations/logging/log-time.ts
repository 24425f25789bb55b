let second = Number.NaN;
let prefix = '';

/** Now, as RFC 3339 in UTC with milliseconds. Its first 20 characters are made once a second. */
export function logTime(): string {
  const nowMs = Date.now();
  const ms = nowMs % 1000;
  if (nowMs - ms !== second) {
    second = nowMs - ms;
    prefix = new Date(second).toISOString().slice(0, 20);
  }
  return `${prefix}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
}
