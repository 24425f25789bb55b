import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { ApiError, type FieldError } from '../errors/api-error.js';
import { membersOf, type RuleContext } from './validators.js';

/** Cached queries per class, and the maximum length of one. */
const QUERIES_MAX = 1000;
const QUERY_LENGTH_MAX = 200;

/** Metadata of a DTO class. */
interface DtoClass {
  readonly create: ClassConstructor<object>;
  readonly members: readonly string[];
  /** The DTOs of valid queries, by the query's JSON: most lists are read with a few queries. */
  readonly queries: Map<string, object>;
}

/**
 * Turns a body or a query into its DTO, and rejects invalid ones with all errors in one message. Only members that the DTO validates
 * are read, so unknown ones are ignored.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  readonly #classes = new Map<ClassConstructor<object>, DtoClass>();

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    const dtoClass = this.#classOf(metatype as ClassConstructor<object>);
    return type === 'body' ? bodyOf(value, dtoClass) : queryOf(value as object, dtoClass);
  }

  #classOf(create: ClassConstructor<object>): DtoClass {
    const known = this.#classes.get(create);
    if (known !== undefined) return known;
    const dtoClass = { create, members: membersOf(create), queries: new Map<string, object>() };
    this.#classes.set(create, dtoClass);
    return dtoClass;
  }
}

function bodyOf(value: unknown, dtoClass: DtoClass): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(
      'invalid_body',
      value === undefined ? 'A body is required.' : 'The body must be a JSON object.',
    );
  }
  const dto = validDto(value, 'body', dtoClass);
  if (Object.values(dto).every((member) => member === undefined)) {
    throw new ApiError('invalid_body', `The body must have at least one of ${dtoClass.members.join(', ')}.`);
  }
  return dto;
}

/** The DTO may be that of an earlier request with the same query, so it is frozen. */
function queryOf(value: object, dtoClass: DtoClass): object {
  const { queries } = dtoClass;
  const text = JSON.stringify(value);
  const known = queries.get(text);
  if (known !== undefined) return known;
  const query = Object.freeze(validDto(value, 'query', dtoClass));
  Object.values(query).forEach((member) => Object.freeze(member));
  if (text.length > QUERY_LENGTH_MAX) return query;
  if (queries.size >= QUERIES_MAX) queries.clear();
  queries.set(text, query);
  return query;
}

/**
 * With `@Expose()` class-transformer would look up all members of the class in each request: a quarter of the cost of a list. No nested value
 * is passed to it: it would call a member named `constructor`, and take quadratic time in the number of names. Validators reject it.
 */
function validDto(value: object, type: Source, { create, members }: DtoClass): object {
  const flat: Record<string, unknown> = {};
  const nested: Record<string, unknown> = {};
  for (const name of members) {
    if (!Object.hasOwn(value, name)) continue;
    const member: unknown = value[name as keyof typeof value];
    (isFlat(member) ? flat : nested)[name] = member;
  }
  const dto = Object.assign(plainToInstance(create, flat), nested);
  const errors = validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length === 0) return dto;
  const faults = errors.map((error) => faultOf(error, type));
  const code = type === 'body' ? 'invalid_body' : 'invalid_parameter';
  throw new ApiError(code, faults.map(({ detail }) => detail).join(' '), { faults });
}

/** A query has an array where a parameter is repeated. */
const isFlat = (value: unknown): boolean =>
  [value].flat().every((one) => typeof one !== 'object' || one === null);

type Source = 'body' | 'query';

function faultOf(error: ValidationError, source: Source): FieldError {
  const { property } = error;
  const detail = `${sentenceOf(error, source)}.`;
  return source === 'body' ? { pointer: `#/${property}`, detail } : { parameter: property, detail };
}

/** The first that applies: it is missing, has another JSON type, is repeated, or is otherwise invalid. */
function sentenceOf(
  { property, value, constraints = {}, contexts = {} }: ValidationError,
  source: Source,
): string {
  const [[rule, sentence] = ['', `${property} is invalid`]] = Object.entries(constraints);
  const takes = (contexts[rule] as RuleContext | undefined)?.takes;
  const given = jsonTypeOf(value);
  if (value === undefined) return `${property} is required`;
  if (takes === undefined || takes === given) return sentence;
  if (source === 'body') return `${property} must be a JSON ${takes}, not ${WITH_ARTICLE[given]}`;
  return given === 'array' ? `${property} may be given only once` : sentence;
}

const WITH_ARTICLE = {
  array: 'an array',
  boolean: 'a boolean',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function jsonTypeOf(value: unknown): keyof typeof WITH_ARTICLE {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'bigint' ? 'number' : (type as keyof typeof WITH_ARTICLE);
}
