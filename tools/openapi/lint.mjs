// Lints an OpenAPI document with Spectral (spectral:oas) and Redocly (recommended, warnings are errors).
import spectralCore from '@stoplight/spectral-core';
import spectralParsers from '@stoplight/spectral-parsers';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { packageFile, runScript } from '../project.mjs';

const { Document, Spectral } = spectralCore;
const { Yaml } = spectralParsers;
const { oas } = spectralRulesets;

/** No requests to other hosts: the check works offline. */
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

/** Only prose mentions problem details: else every response needs a second media type. */
const isMeant = ({ code, path }) =>
  code === 'oas3-unused-component' && path.join('.') === 'components.schemas.Problem';

async function lintByRedocly(file) {
  const command = packageFile('@redocly/cli', 'bin/cli.js');
  // Spectral reports unused components, except the intended one.
  const words = ['lint', file, '--extends=recommended-strict', '--skip-rule=no-unused-components'];
  const { code, output } = await runScript(command, words, { env: OFFLINE });
  return code === 0 ? [] : [output.trim()];
}
