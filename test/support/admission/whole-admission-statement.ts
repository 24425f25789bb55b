import { AdmissionStatement } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';

/** Rejects if the database fails, also when it fails after it had decided about some of the requests. */
export class WholeAdmissionStatement extends AdmissionStatement {
  override async decide(hashes: readonly string[], at?: Date): Promise<readonly KeyDecision[]> {
    const outcomes = await super.decide(hashes, at);
    return outcomes.map((outcome) => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  }
}
