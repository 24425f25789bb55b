import type { PublicUrl } from '../http.module.js';
import type { ConnectionLimitOptions } from '../sockets/connection-limits.js';
import type { SocketOptions } from '../sockets/socket-options.js';
import type { SocketTimeoutOptions } from '../sockets/socket-timeouts.js';

export interface EdgeOptions extends SocketOptions, SocketTimeoutOptions {
  readonly publicUrl: PublicUrl;
  readonly bodyBytesMax: number;
  readonly connections: ConnectionLimitOptions;
}
