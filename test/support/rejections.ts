import { expect, it } from '@jest/globals';
import type { ServiceInUse } from './use-service.js';

/**
 * A test for each line: a request, its body if it has one, and behind `→` the status, the code, and the message or, before `…`, its
 * beginning.
 *
 * @param fill makes what a line needs, and returns the line with it
 */
export function rejections(
  service: ServiceInUse,
  lines: string,
  fill: (line: string) => string | Promise<string> = (line) => line,
): void {
  for (const line of lines.trim().split('\n')) {
    const [written = '', error = ''] = line.split(' → ');
    const [, status, code, message = '', isBeginning] = /^(\d{3}) (\w+) ([^…]+)(…?)$/.exec(error) ?? [];
    it(`${written} is ${error}`, async () => {
      const [, method = '', path = '', body] = /^(\w+) (\S+)(?: (.+))?$/.exec(await fill(written)) ?? [];
      const response = await (body === undefined
        ? service.fetch(path, { key: service.key, method })
        : service.send(method, path, body));
      expect(await response.json()).toEqual({
        ...{ status: Number(status), code },
        message: isBeginning === '' ? message : expect.stringMatching(new RegExp(`^${message}`)),
      });
    });
  }
}
