/** The environment cannot be used as it is. Each fault is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables one by one and collects every fault, so that an operator sees all of them at once. */
export class EnvironmentReader {
  readonly faults: string[] = [];

  constructor(private readonly environment: Environment) {}

  /** A set variable with its surrounding white space cut off; an empty one counts as not set. */
  text(name: string): string | undefined {
    const text = this.environment[name]?.trim();
    return text === '' ? undefined : text;
  }

  /** The value that `parse` makes of a set variable; an error it throws becomes a fault. */
  parsed<T, F>(name: string, fallback: F, parse: (text: string) => T): T | F {
    const text = this.text(name);
    if (text === undefined) return fallback;
    try {
      return parse(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.faults.push(message.startsWith(`${name}:`) ? message : `${name}: ${message}`);
      return fallback;
    }
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.parsed(name, fallback, (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw new Error(`must be an integer from ${min} to ${max}, not "${text}"`);
    });
  }

  oneOf<const T extends string>(name: string, fallback: T, values: readonly T[]): T {
    return this.parsed(name, fallback, (text) => {
      const value = values.find((one) => one === text);
      if (value !== undefined) return value;
      throw new Error(`must be one of ${values.join(', ')}, not "${text}"`);
    });
  }
}
