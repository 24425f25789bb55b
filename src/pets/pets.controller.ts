import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Deprecated, type Deprecation, deprecationNotice } from '../http/deprecation.interceptor.js';
import { parseInt64 } from '../database/int64.js';
import { etagOf, type Preconditions, RequestPreconditions } from '../http/etag.js';
import { InputPipe } from '../http/input.pipe.js';
import { ApiId, Operation } from '../http/operation.decorators.js';
import type { JsonResponse } from '../http/json-response.js';
import { Paging } from '../resources/pagination.js';
import { idIn, RequestDeadline } from '../http/request.js';
import { type IdempotencyKey, RequestIdempotencyKey } from '../resources/idempotency-key.js';
import { Idempotency } from '../resources/idempotency.service.js';
import {
  CHANGED_PET_EXAMPLE,
  ListPetsQuery,
  NEW_PET_EXAMPLE,
  NewPetBody,
  Pet,
  PET_EXAMPLE,
  PetChangeBody,
  PETS_EXAMPLE,
} from './pets.dto.js';
import { PetsRepository } from './pets.repository.js';

const PATH = '/v1/pets';

const idOf = idIn('pet_not_found');

/** Not the pet of the get and change examples, so that those still succeed. */
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
@Controller(PATH)
export class PetsController {
  constructor(
    private readonly pets: PetsRepository,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @Operation({
    summary: 'List pets',
    query: ListPetsQuery,
    description:
      'Returns a page of pets, ordered by `id`. Follow the `next` link in the `Link` header until there is none. Pets that ' +
      'are added or deleted meanwhile do not make the pages skip or repeat others. A pet must match every given filter. ' +
      'With one `id` and no other parameter, the `ETag` is that of the pet, for `If-Match` of a change.',
  })
  @ApiOkResponse({ type: [Pet], description: 'A page of pets, which may be empty.', example: PETS_EXAMPLE })
  async listPets(
    @Query(InputPipe) query: ListPetsQuery,
    @RequestDeadline() deadline: number,
    @Req() request: FastifyRequest,
  ): Promise<JsonResponse> {
    const paging = new Paging(PATH, query);
    const page = await this.pets.list(paging.page, deadline);
    const isPet = isSingleIdQuery(request.query) && page.json !== '[]';
    return paging.respond(page, isPet ? { etag: etagOf(page.json.slice(1, -1)) } : {});
  }

  @Post()
  @Operation({
    summary: 'Add a pet',
    description:
      'Adds a pet. Unknown members are ignored. With an `Idempotency-Key` the request is safe to repeat.',
  })
  @ApiBody({ type: NewPetBody, examples: { pet: { value: NEW_PET_EXAMPLE } } })
  @ApiCreatedResponse({ type: Pet, description: 'The new pet, with its `id`.', example: PET_EXAMPLE })
  async createPet(
    @Body(InputPipe) members: NewPetBody,
    @RequestIdempotencyKey() key: IdempotencyKey | undefined,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const create = () => this.pets.create({ members, key }, deadline);
    return await this.idempotency.respond(PATH, key, deadline, create);
  }

  @Get(':petId')
  @Operation({
    summary: 'Get a pet',
    description: `Returns a pet by its identifier.\n\n${deprecationNotice(GET_PET_DEPRECATION)}`,
    deprecated: true,
  })
  @ApiId('petId')
  @ApiOkResponse({ type: Pet, description: 'The pet.', example: PET_EXAMPLE })
  @Deprecated(GET_PET_DEPRECATION)
  getPet(@Param('petId') petId: string, @RequestDeadline() deadline: number): Promise<string> {
    return this.pets.find(idOf(petId), deadline);
  }

  @Patch(':petId')
  @Operation({
    summary: 'Change a pet',
    description:
      'Changes the members that the body contains; at least one is required. The status of a pet with an open order ' +
      'changes only with the order. With `If-Match`, the pet changes only if it still has that `ETag`.',
  })
  @ApiId('petId')
  @ApiBody({ type: PetChangeBody, examples: { name: { value: { name: CHANGED_PET_EXAMPLE.name } } } })
  @ApiOkResponse({ type: Pet, description: 'The changed pet.', example: CHANGED_PET_EXAMPLE })
  updatePet(
    @Param('petId') petId: string,
    @Body(InputPipe) members: PetChangeBody,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<string> {
    return this.pets.change({ id: idOf(petId), members, ...conditions }, deadline);
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
  deletePet(
    @Param('petId') petId: string,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<void> {
    return this.pets.delete({ id: idOf(petId), ...conditions }, deadline);
  }
}

/** Whether the query is a single `id`: then the page is that pet in brackets. */
const isSingleIdQuery = (query: unknown): boolean => {
  const { id, ...others } = query as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && Object.keys(others).length === 0;
};
