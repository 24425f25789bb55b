// npm run check -- deploy: validates the Kubernetes manifests against the schemas of their kinds, as they are and as an overlay
// makes them.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { packageFile, root, runScript } from './project.mjs';

const SOURCE = join(root, 'deploy/kubernetes');

/** Files for Kustomize, which are no manifests. */
const OF_KUSTOMIZE = new Set(['kustomization.yaml', 'overlay.example.yaml', 'release.yaml']);

/** The schemas of API groups outside Kubernetes itself. */
const PACKAGES = {
  'external-secrets.io': 'external-secrets',
  'gateway.networking.k8s.io': 'gateway-api',
  'monitoring.coreos.com': 'prometheus-operator',
  'postgresql.cnpg.io': 'cloudnative-pg',
};

/** The package only has v1beta1, which is identical for the fields used here. */
const API_VERSIONS = { 'external-secrets.io/v1': 'external-secrets.io/v1beta1' };

const read = (text, file) => parseAllDocuments(text).map((document) => ({ file, object: document.toJS() }));

function moduleOf({ apiVersion, kind }) {
  const [group] = apiVersion.split('/');
  const name = group in PACKAGES ? `@kubernetes-models/${PACKAGES[group]}` : 'kubernetes-models';
  return `${name}/${apiVersion}/${kind}`;
}

/** What an overlay makes of the base, or nothing if Kustomize is not installed. */
function build(folder, ingress) {
  const overlay = join(folder, ingress);
  cpSync(SOURCE, join(overlay, 'base'), { recursive: true });
  cpSync(join(SOURCE, 'overlay.example.yaml'), join(overlay, 'kustomization.yaml'));
  cpSync(join(SOURCE, ingress), join(overlay, 'ingress.yaml'));
  const { error, status, stdout, stderr } = spawnSync('kustomize', ['build', overlay], { encoding: 'utf8' });
  if (error?.code === 'ENOENT') {
    console.log('kustomize is not installed');
    return [];
  }
  if (status !== 0) throw new Error(`kustomize build: ${stderr}`);
  const objects = read(stdout, `the overlay with ${ingress}`);
  const job = objects.find(({ object }) => object.kind === 'Job').object;
  const [, tag] = job.spec.template.spec.containers[0].image.split(':');
  if (job.metadata.name !== `petstore-migrate-${tag}`)
    throw new Error(`${job.metadata.name} is not of ${tag}`);
  return objects;
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-manifests-'));
try {
  const files = readdirSync(SOURCE).filter((name) => name.endsWith('.yaml') && !OF_KUSTOMIZE.has(name));
  const all = [
    ...files.flatMap((name) => read(readFileSync(join(SOURCE, name), 'utf8'), name)),
    ...build(folder, 'ingress.example.yaml'),
    ...build(folder, 'httproute.example.yaml'),
  ].map(({ file, object }) => {
    const apiVersion = API_VERSIONS[object.apiVersion] ?? object.apiVersion;
    return { name: `${file}: ${object.kind} ${object.metadata.name}`, object: { ...object, apiVersion } };
  });
  const checks = join(folder, 'checks');
  mkdirSync(checks);
  symlinkSync(join(root, 'tools/node_modules'), join(checks, 'node_modules'));
  writeFileSync(join(checks, 'package.json'), '{ "type": "module" }');
  // Unknown members are errors of the compiler, and wrong values those of the schemas.
  const programs = all.map(({ name, object }) => {
    const type = `import(${JSON.stringify(moduleOf(object))}).I${object.kind}`;
    const file = join(checks, `${name.replaceAll(/[^\w.]+/g, '-')}.ts`);
    writeFileSync(file, `export const object: ${type} = ${JSON.stringify(object, undefined, 2)};\n`);
    return file;
  });
  const values = all.map(({ name, object }, n) => {
    const models = `import { ${object.kind} as Model${n} } from ${JSON.stringify(moduleOf(object))};`;
    return `${models}\ncheck(${JSON.stringify(name)}, new Model${n}(${JSON.stringify(object)}));`;
  });
  const check = `function check(name, model) {
    try { model.validate(); } catch (error) { console.log(name + ': ' + error.message); process.exitCode = 1; }
  }`;
  writeFileSync(join(checks, 'values.js'), [check, ...values].join('\n'));
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', ''];
  const language = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  const compiler = packageFile('@typescript/native', 'bin/tsc');
  const compiled = await runScript(compiler, [...programs, ...options, ...language]);
  const validated = await runScript(join(checks, 'values.js'), []);
  if (compiled.code !== 0 || validated.code !== 0) throw new Error(`${compiled.output}${validated.output}`);
  console.log(`${all.length} objects of deploy/kubernetes: ok`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
