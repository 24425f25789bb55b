import { Transform, type TransformCallback } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxyPace } from './tcp-proxy.js';

/** Passes each chunk on after the delay that holds when it comes; in order, and any number of them at a time. */
export function delayed(pace: () => TcpProxyPace): Transform {
  let last = Promise.resolve();
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const { delayMs = 0 } = pace();
      if (delayMs === 0) {
        void last.then(() => done(null, chunk));
        return;
      }
      // The next chunk may come at once: it is the way that is long, not the door that is narrow.
      const arrived = delay(delayMs);
      last = last.then(() => arrived).then(() => void this.push(chunk));
      done();
    },
    flush(done) {
      void last.then(() => done());
    },
  });
}

/** Passes chunks on in small pieces, one after another, while the pace says so. */
export function dripping(pace: () => TcpProxyPace): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const pour = async (): Promise<void> => {
        let at = 0;
        for (let { dripBytes, dripMs = 0 } = pace(); dripBytes !== undefined && at < chunk.length;) {
          this.push(chunk.subarray(at, (at += dripBytes)));
          await delay(dripMs);
          ({ dripBytes, dripMs = 0 } = pace());
        }
        if (at < chunk.length) this.push(chunk.subarray(at));
      };
      void pour().then(() => done());
    },
  });
}

/** Passes half of a chunk when it is time to, and has the connection broken. */
export function truncating(isTime: () => boolean, breakOff: () => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (!isTime()) return done(null, chunk);
      done(null, chunk.subarray(0, Math.floor(chunk.length / 2)));
      setImmediate(breakOff);
    },
  });
}
