/** Headers of a response, by their lower-case names. */
export type Headers = Readonly<Record<string, string>>;
