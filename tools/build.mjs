// npm run build
import { buildOrTell } from './build/service.mjs';

process.exitCode = await buildOrTell();
