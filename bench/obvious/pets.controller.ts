import {
  Body,
  ConflictException,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  ParseIntPipe,
  Patch,
  Post,
  Query,
} from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import type { Pet, PetStatus } from '../../src/generated/prisma/client.js';
import { PrismaService } from './prisma.service.js';

const STATUSES = ['available', 'pending', 'sold'];

class ListPetsQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  /** The service has cursors here. */
  @Type(() => Number)
  @IsInt()
  from = 0;

  @IsOptional()
  @IsIn(STATUSES)
  status?: PetStatus;

  @IsOptional()
  @Transform(({ value }: { value: string | string[] }) => [value].flat().map(Number))
  @IsInt({ each: true })
  id?: number[];
}

class ChangePetBody {
  @IsString()
  @Length(1, 255)
  name!: string;
}

class CreatePetBody {
  @IsString()
  @Length(1, 255)
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: PetStatus;
}

interface PetResponse {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status?: PetStatus;
}

@Controller('v1/pets')
export class PetsController {
  constructor(private readonly prisma: PrismaService) {}

  @Get()
  async list(@Query() { limit, from, status, id }: ListPetsQuery): Promise<PetResponse[]> {
    const pets = await this.prisma.pet.findMany({
      where: { id: id === undefined ? { gte: from } : { in: id }, ...(status !== undefined && { status }) },
      orderBy: { id: 'asc' },
      take: limit,
    });
    return pets.map(toResponse);
  }

  @Get(':petId')
  async find(@Param('petId', ParseIntPipe) petId: number): Promise<PetResponse> {
    const pet = await this.prisma.pet.findUnique({ where: { id: petId } });
    if (pet === null) throw new NotFoundException();
    return toResponse(pet);
  }

  @Patch(':petId')
  async change(
    @Param('petId', ParseIntPipe) id: number,
    @Body() { name }: ChangePetBody,
  ): Promise<PetResponse> {
    return toResponse(await this.prisma.pet.update({ where: { id }, data: { name } }));
  }

  /** An order that is not cancelled keeps its pet. */
  @Delete(':petId')
  @HttpCode(204)
  async delete(@Param('petId', ParseIntPipe) id: number): Promise<void> {
    const kept = await this.prisma.order.count({ where: { petId: id, status: { not: 'cancelled' } } });
    if (kept > 0) throw new ConflictException('The pet has orders.');
    await this.prisma.$transaction([
      this.prisma.order.deleteMany({ where: { petId: id, status: 'cancelled' } }),
      this.prisma.pet.delete({ where: { id } }),
    ]);
  }

  @Post()
  async create(@Body() data: CreatePetBody): Promise<PetResponse> {
    return toResponse(await this.prisma.pet.create({ data }));
  }
}

const toResponse = ({ id, name, categoryId, status }: Pet): PetResponse => ({
  id: Number(id),
  name,
  categoryId: Number(categoryId),
  ...(status !== null && { status }),
});
