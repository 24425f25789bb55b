/** The requests of a group by secret, as the admission statement wants them. */
export interface SecretsOfGroup {
  /** Each secret's hash, once, in order of first arrival. */
  readonly hashes: readonly Buffer[];
  /** The requests made with each. */
  readonly requests: readonly number[];
  /** For each request of the group the place of its secret in the two lists above. */
  readonly secretOf: readonly number[];
}

export function secretsOfGroup(group: readonly Buffer[]): SecretsOfGroup {
  const hashes: Buffer[] = [];
  const requests: number[] = [];
  const places = new Map<string, number>();
  const secretOf = group.map((hash) => {
    // One character a byte: the cheapest text that keeps different hashes different.
    const text = hash.toString('latin1');
    const known = places.get(text);
    const place = known ?? hashes.push(hash) - 1;
    if (known === undefined) places.set(text, place);
    requests[place] = (requests[place] ?? 0) + 1;
    return place;
  });
  return { hashes, requests, secretOf };
}
