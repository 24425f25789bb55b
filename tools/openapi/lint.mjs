// Lints an OpenAPI document with Spectral (spectral:oas) and Redocly (recommended, warnings are errors).
import spectralCore from '@stoplight/spectral-core';
import spectralParsers from '@stoplight/spectral-parsers';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { packageFile, runScript } from '../project.mjs';

const { Document, Spectral } = spectralCore;
const { Yaml } = spectralParsers;
const { oas } = spectralRulesets;

/** Neither may ask other hosts for anything: the check works without a network. */
const OFFLINE = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Every finding of both, in a line. */
export async function lint(file, text) {
  return [...(await lintBySpectral(file, text)), ...(await lintByRedocly(file))];
}

async function lintBySpectral(file, text) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const findings = await spectral.run(new Document(text, Yaml, file));
  return findings
    .filter((finding) => !isMeant(finding))
    .map(
      ({ range, code, message, path }) =>
        `${file}:${range.start.line + 1}: ${message} (Spectral ${code} at ${path.join('.')})`,
    );
}

/** Prose alone refers to problem details: each response would have a second media type. */
const isMeant = ({ code, path }) =>
  code === 'oas3-unused-component' && path.join('.') === 'components.schemas.Problem';

async function lintByRedocly(file) {
  const command = packageFile('@redocly/cli', 'bin/cli.js');
  // Spectral finds unused components, too, but for the one that is meant.
  const words = ['lint', file, '--extends=recommended-strict', '--skip-rule=no-unused-components'];
  const { code, output } = await runScript(command, words, { env: OFFLINE });
  return code === 0 ? [] : [output.trim()];
}
