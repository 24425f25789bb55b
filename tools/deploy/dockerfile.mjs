// Dockerfile: what is copied is let through by .dockerignore, and the image is one that may run as others expect it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.mjs';
import { read } from './files.mjs';

const LABELS = ['title', 'description', 'licenses', 'source', 'version', 'revision', 'created', 'base.name'];

export function checkDockerfile({ fault }) {
  const dockerfile = read('Dockerfile');
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  const letThrough = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  for (const [, words] of dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)) {
    for (const path of words.split(' ').slice(0, -1)) {
      if (!existsSync(join(root, path))) fault(`Dockerfile: ${path} does not exist`);
      const isLetThrough = letThrough.some((one) => path === one || path.startsWith(`${one}/`));
      if (!isLetThrough) fault(`.dockerignore: keeps ${path} from the image`);
    }
  }

  for (const label of LABELS) {
    if (!lastStage.includes(`org.opencontainers.image.${label}=`)) {
      fault(`Dockerfile: the label ${label} is missing`);
    }
  }
  if (!/^USER [1-9]\d*/m.test(lastStage)) fault('Dockerfile: USER must be a number other than 0');
  if (!/^HEALTHCHECK /m.test(lastStage)) fault('Dockerfile: HEALTHCHECK is missing');
  if (!/^CMD \["node", .*"dist\/main.js"\]$/m.test(lastStage))
    fault('Dockerfile: CMD must run dist/main.js by node');
  if (/\bcurl\b|\bwget\b/.test(lastStage)) fault('Dockerfile: the image has neither curl nor wget');
  for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm)) {
    if (image !== '${NODE_IMAGE}') fault(`Dockerfile: ${image} is not given by NODE_IMAGE`);
  }
  if (!/^ARG NODE_IMAGE=\S+:\S+$/m.test(dockerfile)) fault('Dockerfile: NODE_IMAGE has no tag');
}
