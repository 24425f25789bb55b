/** Listening on the management port failed. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}
