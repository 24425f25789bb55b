type Json = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);

const entries = (value: unknown): [string, unknown][] => Object.entries(isObject(value) ? value : {});

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * What a document lacks of an earlier one, each with its place: operations, parameters, media types, statuses, headers, members and
 * words that were there, and what was optional in a request and is required now.
 */
export function missingOf(earlier: Json, later: Json): readonly string[] {
  const missing: string[] = [];
  const demand = (place: string, isThere: boolean): void => {
    if (!isThere) missing.push(place);
  };
  const resolve = (document: Json, value: unknown): unknown => {
    const ref = at(value, '$ref');
    return typeof ref === 'string' ? resolve(document, at(document, ...ref.split('/').slice(1))) : value;
  };

  const compareSchemas = (place: string, before: unknown, after: unknown, isRequest: boolean): void => {
    const was = resolve(earlier, before);
    const now = resolve(later, after);
    // A value that may be repeated may still be given once.
    const isRepeatable = isRequest && at(was, 'type') !== 'array' && at(now, 'type') === 'array';
    const is = isRepeatable ? resolve(later, at(now, 'items')) : now;
    demand(`${place}: type`, JSON.stringify(at(was, 'type')) === JSON.stringify(at(is, 'type')));
    demand(`${place}: format`, at(was, 'format') === at(is, 'format'));
    const [words, present] = [list(at(was, 'enum')), list(at(is, 'enum'))];
    for (const word of words)
      demand(`${place}: ${String(word)}`, present.length === 0 || present.includes(word));
    const [required, requiredNow] = [list(at(was, 'required')), list(at(is, 'required'))];
    const [more, fewer] = isRequest ? [requiredNow, required] : [required, requiredNow];
    for (const name of more)
      demand(
        `${place}.${String(name)}: required ${isRequest ? 'now' : 'before'}`,
        fewer.includes(name) || (!isRequest && at(is, 'properties', String(name)) === undefined),
      );
    for (const [name, property] of entries(at(was, 'properties'))) {
      const found = at(is, 'properties', name);
      demand(`${place}.${name}`, found !== undefined);
      if (found !== undefined) compareSchemas(`${place}.${name}`, property, found, isRequest);
    }
    if (at(was, 'items') !== undefined)
      compareSchemas(`${place}[]`, at(was, 'items'), at(is, 'items'), isRequest);
  };

  const compareContents = (place: string, before: unknown, after: unknown, isRequest: boolean): void => {
    for (const [type, media] of entries(at(before, 'content'))) {
      const found = at(after, 'content', type);
      demand(`${place} as ${type}`, found !== undefined);
      if (found !== undefined)
        compareSchemas(`${place} as ${type}`, at(media, 'schema'), at(found, 'schema'), isRequest);
    }
  };

  const parametersOf = (document: Json, operation: unknown): readonly unknown[] =>
    list(at(operation, 'parameters')).map((parameter) => resolve(document, parameter));

  for (const [path, item] of entries(at(earlier, 'paths')))
    for (const method of METHODS) {
      const was = at(item, method);
      if (was === undefined) continue;
      const is = at(later, 'paths', path, method);
      const place = `${method} ${path}`;
      demand(place, is !== undefined);
      demand(`${place}: its operationId`, at(is, 'operationId') === at(was, 'operationId'));

      const [before, after] = [parametersOf(earlier, was), parametersOf(later, is)];
      const find = (parameters: readonly unknown[], wanted: unknown): unknown =>
        parameters.find(
          (one) => at(one, 'name') === at(wanted, 'name') && at(one, 'in') === at(wanted, 'in'),
        );
      for (const parameter of before) {
        const found = find(after, parameter);
        const name = `${place} ?${String(at(parameter, 'name'))}`;
        demand(name, found !== undefined);
        if (found !== undefined) compareSchemas(name, at(parameter, 'schema'), at(found, 'schema'), true);
      }
      for (const parameter of after)
        demand(
          `${place} ?${String(at(parameter, 'name'))}: required now`,
          at(parameter, 'required') !== true || at(find(before, parameter), 'required') === true,
        );

      compareContents(
        `${place} body`,
        resolve(earlier, at(was, 'requestBody')),
        resolve(later, at(is, 'requestBody')),
        true,
      );
      for (const [status, response] of entries(at(was, 'responses'))) {
        const found = resolve(later, at(is, 'responses', status));
        demand(`${place} ${status}`, found !== undefined);
        const old = resolve(earlier, response);
        for (const [header] of entries(at(old, 'headers')))
          demand(`${place} ${status} ${header}`, at(found, 'headers', header) !== undefined);
        compareContents(`${place} ${status}`, old, found, false);
      }
    }
  return missing;
}
