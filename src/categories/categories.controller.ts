import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Preconditions, RequestPreconditions } from '../http/etag.js';
import { JsonResponse } from '../http/json-response.js';
import { InputPipe } from '../http/input.pipe.js';
import { ApiId, Operation } from '../http/operation.decorators.js';
import { idIn, RequestDeadline } from '../http/request.js';
import { type IdempotencyKey, RequestIdempotencyKey } from '../resources/idempotency-key.js';
import { Idempotency } from '../resources/idempotency.service.js';
import { Paging } from '../resources/pagination.js';
import {
  CATEGORIES_EXAMPLE,
  Category,
  CATEGORY_EXAMPLE,
  CREATED_CATEGORY_EXAMPLE,
  ListCategoriesQuery,
  NEW_CATEGORY_EXAMPLE,
  NewCategoryBody,
  PUT_CATEGORY_EXAMPLE,
} from './categories.dto.js';
import { CategoriesRepository } from './categories.repository.js';

const PATH = '/v1/categories';

const idOf = idIn('category_not_found');

/** No sample pet refers to it. */
const UNUSED_ID = 8;

@ApiTags('Categories')
@Controller(PATH)
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesRepository,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @Operation({
    summary: 'List categories',
    query: ListCategoriesQuery,
    description:
      'Returns a page of the categories that have names, ordered by `id`. Follow the `next` link in the `Link` header until ' +
      'there is none. A pet may also refer to a number not listed here.',
  })
  @ApiOkResponse({
    type: [Category],
    description: 'A page of categories, which may be empty.',
    example: CATEGORIES_EXAMPLE,
  })
  async listCategories(
    @Query(InputPipe) query: ListCategoriesQuery,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const paging = new Paging(PATH, query);
    return paging.respond(await this.categories.list(paging.page, deadline));
  }

  @Post()
  @Operation({
    summary: 'Add a category',
    description:
      'Adds a category. Its `id` is a number that neither a category nor a pet uses yet; to name a number that pets use ' +
      'already, PUT it. With an `Idempotency-Key` the request is safe to repeat.',
  })
  @ApiBody({ type: NewCategoryBody, examples: { category: { value: NEW_CATEGORY_EXAMPLE } } })
  @ApiCreatedResponse({
    type: Category,
    description: 'The new category, with its `id`.',
    example: CREATED_CATEGORY_EXAMPLE,
  })
  async createCategory(
    @Body(InputPipe) members: NewCategoryBody,
    @RequestIdempotencyKey() key: IdempotencyKey | undefined,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const create = () => this.categories.create({ members, key }, deadline);
    return await this.idempotency.respond(PATH, key, deadline, create);
  }

  @Get(':categoryId')
  @Operation({ summary: 'Get a category', description: 'Returns a category by its number.' })
  @ApiId('categoryId')
  @ApiOkResponse({ type: Category, description: 'The category.', example: CATEGORY_EXAMPLE })
  getCategory(@Param('categoryId') categoryId: string, @RequestDeadline() deadline: number): Promise<string> {
    return this.categories.find(idOf(categoryId), deadline);
  }

  @Put(':categoryId')
  @Operation({
    summary: 'Name a category',
    description:
      'Adds a category with this number, or renames it. It is safe to repeat. With `If-None-Match: *` it only ' +
      'adds, and with `If-Match` it only changes a category that still has that `ETag`.',
  })
  @ApiId('categoryId', Number(PUT_CATEGORY_EXAMPLE.id))
  @ApiBody({ type: NewCategoryBody, examples: { category: { value: { name: PUT_CATEGORY_EXAMPLE.name } } } })
  @ApiOkResponse({
    type: Category,
    description: 'The category, renamed or unchanged.',
    example: PUT_CATEGORY_EXAMPLE,
  })
  @ApiCreatedResponse({
    type: Category,
    description: 'The new category.',
    example: PUT_CATEGORY_EXAMPLE,
  })
  async putCategory(
    @Param('categoryId') categoryId: string,
    @Body(InputPipe) members: NewCategoryBody,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const id = idOf(categoryId);
    const { json, isNew } = await this.categories.put({ id, members, ...conditions }, deadline);
    return isNew
      ? new JsonResponse(json, (origin) => ({ location: `${origin}${PATH}/${id}` }), 201)
      : new JsonResponse(json);
  }

  @Delete(':categoryId')
  @HttpCode(204)
  @Operation({
    summary: 'Delete a category',
    description:
      'Deletes a category that no pet refers to. A pet that is added or changed concurrently may still refer to its number. With ' +
      '`If-Match`, the category is deleted only if it still has that `ETag`.',
  })
  @ApiId('categoryId', UNUSED_ID)
  @ApiNoContentResponse({ description: 'The category is deleted.' })
  deleteCategory(
    @Param('categoryId') categoryId: string,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<void> {
    return this.categories.delete({ id: idOf(categoryId), ...conditions }, deadline);
  }
}
