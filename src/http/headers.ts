/** Headers of an answer, by their lower-case names. */
export type Headers = Readonly<Record<string, string>>;
