/** The requests of a group by secret, as the admission statement wants them. */
export interface SecretsOfGroup {
  /** Each secret's hash, once, in order of first arrival. */
  readonly hashes: readonly string[];
  /** The requests made with each. */
  readonly requests: readonly number[];
  /** For each request of the group the place of its secret in the two lists above. */
  readonly secretOf: readonly number[];
}

export function secretsOfGroup(group: readonly string[]): SecretsOfGroup {
  const hashes: string[] = [];
  const requests: number[] = [];
  const places = new Map<string, number>();
  const secretOf = group.map((hash) => {
    const known = places.get(hash);
    const place = known ?? hashes.push(hash) - 1;
    if (known === undefined) places.set(hash, place);
    requests[place] = (requests[place] ?? 0) + 1;
    return place;
  });
  return { hashes, requests, secretOf };
}
