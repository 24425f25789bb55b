import { Module } from '@nestjs/common';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';

@Module({
  controllers: [PetsController],
  providers: [PetsRepository],
})
export class PetsModule {}
