// Bare Fastify on connections of `pg` that pipeline.
import { serve } from './bare.mjs';
import { openPipelines } from './pet-routes.mjs';

await serve(await openPipelines());
