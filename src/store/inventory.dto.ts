import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The number of pets of each status. */
@ApiSchema({ description: 'The number of pets by status. Pets without a status are not counted.' })
export class Inventory {
  @ApiProperty({ description: 'Pets that can be ordered.' })
  readonly available!: bigint;

  @ApiProperty({ description: 'Pets that are reserved.' })
  readonly pending!: bigint;

  @ApiProperty({ description: 'Pets that are sold.' })
  readonly sold!: bigint;
}

export const INVENTORY_EXAMPLE: Inventory = { available: 128n, pending: 4n, sold: 61n };
