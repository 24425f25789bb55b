import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Deprecated, type Deprecation, deprecationNotice } from '../http/deprecation.interceptor.js';
import { parseInt64 } from '../database/int64.js';
import { etagOf, type Preconditions, RequestPreconditions } from '../http/etag.js';
import { ApiErrors, ApiId, JsonText, Operation } from '../http/operation.decorators.js';
import { Paging } from '../http/pagination.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { idIn, RequestDeadline } from '../http/request.js';
import { type IdempotencyKey, RequestIdempotencyKey } from '../http/idempotency/idempotency-key.js';
import { Idempotency } from '../http/idempotency/idempotency.service.js';
import {
  CHANGED_PET_EXAMPLE,
  ListPetsQuery,
  NEW_PET_EXAMPLE,
  NewPetBody,
  Pet,
  PET_EXAMPLE,
  PET_STATUSES,
  PetChangeBody,
  PETS_EXAMPLE,
} from './pets.dto.js';
import { PetsRepository } from './pets.repository.js';

/** Another pet than in the examples that get and change one, so that these succeed afterwards. */
const DELETED_PET_ID = 4;

/** getPet is removed on the day that the interface gives. */
const GET_PET_DEPRECATION: Deprecation = {
  deprecatedAt: new Date('2026-11-20T00:00:00Z'),
  removedAt: new Date('2030-12-05T00:00:00Z'),
  successorOf: ({ petId = '' }) => (parseInt64(petId) === undefined ? '/v1/pets' : `/v1/pets?id=${petId}`),
  replacement: '`GET /v1/pets` with the filter `id` or `status`',
  documentation: '/docs#deprecation',
};

@ApiTags('Pets')
@ApiBearerAuth('apiKey')
@Controller('v1/pets')
export class PetsController {
  constructor(
    private readonly pets: PetsRepository,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
  ) {}

  @Get()
  @Operation({
    summary: 'List pets',
    query: ListPetsQuery,
    description:
      'Returns a page of pets, ordered by `id`. Follow the `next` link in the `Link` header until there is none. Pets that ' +
      'are added or deleted meanwhile do not make the pages skip or repeat others. A pet must pass every filter that is given. ' +
      'With one `id` and no other parameter, the `ETag` is that of the pet, for `If-Match` of a change.',
  })
  @ApiOkResponse({ type: [Pet], description: 'A page of pets, which may be empty.', example: PETS_EXAMPLE })
  @JsonText()
  async listPets(
    @Query() query: ListPetsQuery,
    @RequestDeadline() deadline: number,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { limit, categoryId, sort } = query;
    const isDescending = sort === '-id';
    // Each value once and in one order: a cursor stays valid if the client repeats them in another.
    const ids = query.id && [...new Set(query.id)].sort((one, other) => (one < other ? -1 : 1));
    const statuses = query.status && PET_STATUSES.filter((status) => query.status?.includes(status));
    const filter = { id: ids, status: statuses, categoryId, ...(isDescending && { sort }) };
    const paging = new Paging({ path: '/v1/pets', filter, isDescending }, query);
    const { fromId } = paging;
    const direction = isDescending ? 'desc' : 'asc';
    const page = { fromId, limit, direction, ids, statuses, categoryId } as const;
    const { json, nextId } = await this.pets.list(page, deadline);
    reply.header('link', paging.links(nextId, this.config.publicUrl));
    if (ids?.length === 1 && isOfOnePet(request.query) && json !== '[]')
      reply.header('etag', etagOf(json.slice(1, -1)));
    return json;
  }

  @Post()
  @Operation({
    summary: 'Add a pet',
    description:
      'Adds a pet. Unknown members are ignored. With an `Idempotency-Key` the request is safe to repeat.',
  })
  @ApiBody({ type: NewPetBody, examples: { pet: { value: NEW_PET_EXAMPLE } } })
  @ApiCreatedResponse({ type: Pet, description: 'The new pet, with its `id`.', example: PET_EXAMPLE })
  @JsonText()
  async createPet(
    @Body() newPet: NewPetBody,
    @RequestIdempotencyKey() key: IdempotencyKey | undefined,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const create = () => this.pets.create(newPet, key, deadline);
    return await this.idempotency.respond(reply, '/v1/pets', key, deadline, create);
  }

  @Get(':petId')
  @Operation({
    summary: 'Get a pet',
    description: `Returns a pet by its identifier.\n\n${deprecationNotice(GET_PET_DEPRECATION)}`,
    deprecated: true,
  })
  @ApiId('petId')
  @ApiOkResponse({ type: Pet, description: 'The pet.', example: PET_EXAMPLE })
  @ApiErrors('pet_not_found')
  @Deprecated(GET_PET_DEPRECATION)
  @JsonText()
  async getPet(@Param('petId') petId: string, @RequestDeadline() deadline: number): Promise<string> {
    return await this.pets.find(idIn(petId, 'pet_not_found'), deadline);
  }

  @Patch(':petId')
  @Operation({
    summary: 'Change a pet',
    description:
      'Changes the members of a pet that the body has; at least one is required. The status of a pet with an open order ' +
      'changes only with the order. With `If-Match`, the pet changes only if it still has that `ETag`.',
  })
  @ApiId('petId')
  @ApiBody({ type: PetChangeBody, examples: { name: { value: { name: CHANGED_PET_EXAMPLE.name } } } })
  @ApiOkResponse({ type: Pet, description: 'The changed pet.', example: CHANGED_PET_EXAMPLE })
  @ApiErrors('pet_not_found', 'pet_has_open_order')
  @JsonText()
  async updatePet(
    @Param('petId') petId: string,
    @Body() change: PetChangeBody,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<string> {
    return await this.pets.change(idIn(petId, 'pet_not_found'), change, conditions, deadline);
  }

  @Delete(':petId')
  @HttpCode(204)
  @Operation({
    summary: 'Delete a pet',
    description:
      'Deletes a pet and its cancelled orders. A pet with an open or a delivered order is not deleted. With `If-Match`, the ' +
      'pet is deleted only if it still has that `ETag`.',
  })
  @ApiId('petId', DELETED_PET_ID)
  @ApiNoContentResponse({ description: 'The pet is deleted.' })
  @ApiErrors('pet_not_found', 'pet_has_open_order', 'pet_is_sold')
  async deletePet(
    @Param('petId') petId: string,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<void> {
    await this.pets.delete(idIn(petId, 'pet_not_found'), conditions, deadline);
  }
}

/** Whether the query is one `id` alone: then the page is the pet, within brackets. */
const isOfOnePet = (query: unknown): boolean => {
  const { id, ...others } = query as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && Object.keys(others).length === 0;
};
