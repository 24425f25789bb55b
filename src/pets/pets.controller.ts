import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { Deprecated } from '../http/deprecated.decorator.js';
import { INT64_MIN, parseInt64 } from '../http/int64.js';
import { PublicUrl } from '../http/public-url.js';
import { ListPetsQuery } from './dto/list-pets.query.js';
import { NewPetBody } from './dto/new-pet.body.js';
import { GET_PET_DEPRECATION } from './get-pet-deprecation.js';
import type { Pet } from './pet.js';
import { petSchema, petsSchema } from './pet.schema.js';
import { PetsRepository } from './pets.repository.js';

@Controller('v1/pets')
export class PetsController {
  constructor(
    private readonly pets: PetsRepository,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @RouteSchema({ response: { 200: petsSchema } })
  async listPets(@Query() { limit, status }: ListPetsQuery): Promise<readonly Pet[]> {
    return await this.pets.list({ fromId: INT64_MIN, size: limit, status });
  }

  @Post()
  @RouteSchema({ response: { 201: petSchema } })
  async createPet(@Body() newPet: NewPetBody, @Res({ passthrough: true }) reply: FastifyReply): Promise<Pet> {
    const pet = await this.pets.create(newPet);
    reply.header('location', this.publicUrl.to(`/v1/pets/${pet.id}`));
    return pet;
  }

  @Get(':petId')
  @Deprecated(GET_PET_DEPRECATION)
  @RouteSchema({ response: { 200: petSchema } })
  async getPet(@Param('petId') petId: string): Promise<Pet> {
    const id = parseInt64(petId);
    const pet = id === undefined ? undefined : await this.pets.find(id);
    if (pet === undefined) throw new ApiError('pet_not_found');
    return pet;
  }
}
