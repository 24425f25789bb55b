/** The management port cannot be listened on. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}
