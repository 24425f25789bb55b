// Bare Fastify on a pool of `pg`.
import { serve } from './bare.mjs';
import { openPool } from './pet-routes.mjs';

await serve(openPool());
