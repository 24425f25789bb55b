import { ApiProperty, ApiSchema, IntersectionType } from '@nestjs/swagger';
import { IsStorableText, MayBeAbsent } from '../http/validators.js';
import { PagingQuery } from '../resources/pagination.js';

const NAME_CODE_POINTS_MAX = 100;

/** The query of `GET /v1/categories`. */
export class ListCategoriesQuery extends PagingQuery {
  @ApiProperty({
    description: 'Return only the category with this name, ignoring ASCII case.',
  })
  @MayBeAbsent()
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name?: string;
}

/** The body of `POST /v1/categories` and of `PUT /v1/categories/{categoryId}`. */
@ApiSchema({ name: 'NewCategory' })
export class NewCategoryBody {
  @ApiProperty({
    description: 'Stored and returned exactly as sent. Names are unique, ignoring ASCII case.',
  })
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name!: string;
}

class CategoryId {
  @ApiProperty({ description: 'The number that pets refer to as their `categoryId`.' })
  readonly id!: bigint;
}

/** A category in a response. The function `category_json` of the database writes its JSON. */
@ApiSchema({ description: 'The name of a category.' })
export class Category extends IntersectionType(CategoryId, NewCategoryBody) {}

export const NEW_CATEGORY_EXAMPLE: NewCategoryBody = { name: 'Aquarium fish' };

export const CATEGORY_EXAMPLE: Category = { id: 1n, name: 'Dogs' };

export const CREATED_CATEGORY_EXAMPLE: Category = { id: 9n, name: NEW_CATEGORY_EXAMPLE.name };

export const PUT_CATEGORY_EXAMPLE: Category = { id: 10n, name: 'Parrots' };

export const CATEGORIES_EXAMPLE: readonly Category[] = [CATEGORY_EXAMPLE, { id: 2n, name: 'Cats' }];
