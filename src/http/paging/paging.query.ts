import { Expose } from 'class-transformer';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { Described } from '../route.decorators.js';
import { FromPlainInteger, MayBeAbsent } from '../input/validators.js';

const LIMIT_MAX = 100;
const LIMIT_MESSAGE = { message: `limit must be an integer from 1 to ${LIMIT_MAX}` };

/** The query members that every list has. */
export class PagingQuery {
  @Expose()
  @Described('How many there are on a page at most.')
  @FromPlainInteger()
  @IsInt(LIMIT_MESSAGE)
  @Min(1, LIMIT_MESSAGE)
  @Max(LIMIT_MAX, LIMIT_MESSAGE)
  readonly limit: number = 20;

  @Expose()
  @Described('Where the page begins: take it from the `Link` header, with its filter. It is opaque.')
  @MayBeAbsent()
  @IsString({ message: 'cursor must be given once' })
  readonly cursor?: string;
}
