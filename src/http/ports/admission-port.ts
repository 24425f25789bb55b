import type { IncomingHttpHeaders } from 'node:http';
import type { Decision } from '../decision.js';

/**
 * What the edge asks of admission, whoever implements it. No call rejects: a fault is a refusal, too. A refusal may come after
 * a pause, which keeps a flood from coming back at once.
 */
export interface AdmissionPort {
  /** Decides about a request by its `Authorization` header, and counts it: once a request, never twice. */
  decide(headers: IncomingHttpHeaders, clientAddress: string): Promise<Decision>;
  /** Counts bytes that never became a request against their address. */
  chargeAddress(clientAddress: string): Promise<Decision>;
  /** Tells the state of an address and counts nothing: for what anybody may read. */
  describeAddress(clientAddress: string): Decision;
}
