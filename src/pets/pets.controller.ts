import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import { Deprecated, type Deprecation } from '../common/deprecation.interceptor.js';
import { parseInt64 } from '../common/int64.js';
import { Paging } from '../common/pagination.js';
import { PublicUrl } from '../common/public-url.js';
import { RequestDeadline } from '../common/request.js';
import { JsonText, Operation } from '../common/route.decorators.js';
import { asAnswered, Idempotency } from '../idempotency/idempotency.js';
import { type Claim, RequestClaim } from '../idempotency/claim.js';
import { NEW_PET_EXAMPLE, PET_EXAMPLE, petJson, PETS_EXAMPLE, petSchema, petsSchema } from './pet.schema.js';
import { ListPetsQuery, NewPetBody } from './pets.dto.js';
import { PetsRepository } from './pets.repository.js';

/** getPet goes away on the day that the interface gives; listing with the `status` filter replaces it. */
const GET_PET_DEPRECATION: Deprecation = {
  deprecatedAt: new Date('2026-11-20T00:00:00Z'),
  removedAt: new Date('2030-12-05T00:00:00Z'),
  successor: '/v1/pets',
  documentation: '/docs#deprecation',
};

@Controller('v1/pets')
export class PetsController {
  constructor(
    private readonly pets: PetsRepository,
    private readonly idempotency: Idempotency,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @Operation({
    tag: 'Pets',
    summary: 'List pets',
    description:
      'Returns a page of pets, ordered by `id`. Follow the `next` link in the `Link` header until there is none. Pets that ' +
      'are added or deleted meanwhile do not make the pages skip or repeat others.',
    success: 'A page of pets, which may be empty.',
    example: PETS_EXAMPLE,
    query: ListPetsQuery,
  })
  @RouteSchema({ response: { 200: petsSchema } })
  @JsonText()
  async listPets(
    @Query() query: ListPetsQuery,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { status } = query;
    const paging = new Paging({ path: '/v1/pets', filter: { status } }, query);
    const { json, nextId } = await this.pets.list(
      { fromId: paging.fromId, limit: query.limit, status },
      deadline,
    );
    reply.header('link', paging.links(nextId, this.publicUrl));
    return json;
  }

  @Post()
  @Operation({
    tag: 'Pets',
    summary: 'Add a pet',
    description:
      'Adds a pet. Unknown members are ignored. With an `Idempotency-Key` the request is safe to repeat.',
    success: 'The new pet, with its `id`.',
    example: PET_EXAMPLE,
    body: NewPetBody,
    requestExample: NEW_PET_EXAMPLE,
  })
  @RouteSchema({ response: { 201: petSchema } })
  @JsonText()
  async createPet(
    @Body() newPet: NewPetBody,
    @RequestClaim() claim: Claim | undefined,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    if (claim === undefined) {
      const id = await this.pets.create(newPet, deadline);
      reply.header('location', this.locationOf(id));
      return petJson(id, newPet);
    }
    const created = await this.idempotency.once(claim, deadline, () =>
      this.pets.createOnce(newPet, claim, deadline),
    );
    reply.header('location', this.locationOf(created.id));
    return asAnswered(reply, created);
  }

  @Get(':petId')
  @Operation({
    tag: 'Pets',
    summary: 'Get a pet',
    description: 'Returns a pet by its identifier.',
    success: 'The pet.',
    example: PET_EXAMPLE,
    codes: ['pet_not_found'],
  })
  @Deprecated(GET_PET_DEPRECATION)
  @RouteSchema({ response: { 200: petSchema } })
  @JsonText()
  async getPet(@Param('petId') petId: string, @RequestDeadline() deadline: number): Promise<string> {
    const id = parseInt64(petId);
    const pet = id === undefined ? undefined : await this.pets.find(id, deadline);
    if (pet === undefined) throw new ApiError('pet_not_found');
    return pet;
  }

  private locationOf(id: bigint): string {
    return this.publicUrl.to(`/v1/pets/${id}`);
  }
}
