import { Expose } from 'class-transformer';
import { FromJsonInt64, IsInt64 } from '../../http/input/validators.js';

/** The body of `POST /v1/store/orders`. */
export class NewOrderBody {
  @Expose()
  @FromJsonInt64()
  @IsInt64()
  readonly petId!: bigint;
}
