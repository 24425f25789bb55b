// docker-compose.yml and .env.example: services that are kept small and apart, no secret in a file, variables that exist.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.mjs';
import { documentedVariables, read, readYaml } from './files.mjs';

const FILE = 'docker-compose.yml';

/** Services whose environment is the service's own. */
const OURS = /^(?:api|api-\d|petstore|migrate)$/;
/** They run once and end. */
const ONE_SHOT = new Set(['roles', 'migrate', 'petstore']);
const SECRET = /PASSWORD|SECRET|TOKEN/;

export function checkCompose({ fault: tellFault, tell }) {
  const fault = (message) => tellFault(`${FILE}: ${message}`);
  const [{ services, volumes, networks }] = readYaml(FILE);
  const documented = documentedVariables();

  for (const [name, service] of Object.entries(services)) {
    const at = (message) => fault(`${name}: ${message}`);
    if (service.image === undefined || !/:[^:/]+$/.test(service.image)) at('the image has no tag');
    if (/:latest\b/.test(service.image)) at('the image is pinned to nothing');
    if (service.read_only !== true) at('read_only is missing');
    if (!service.cap_drop?.includes('ALL')) at('cap_drop: [ALL] is missing');
    if (!service.security_opt?.includes('no-new-privileges:true')) at('no-new-privileges is missing');
    if (service.restart === undefined) at('restart is missing');
    if (service.logging?.options?.['max-size'] === undefined) at('its log has no end');
    const { memory, cpus } = service.deploy?.resources?.limits ?? {};
    if (memory === undefined || cpus === undefined) at('limits of memory and cpus are missing');
    if (!ONE_SHOT.has(name) && service.healthcheck === undefined) at('healthcheck is missing');

    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      if (OURS.test(name) && !documented.has(variable)) at(`docs/configuration.md does not know ${variable}`);
      if (SECRET.test(variable) && !/^\$\{\w+(?::\?[^}]*)?\}$/.test(value))
        at(`${variable} must come from .env`);
      if (/:\/\/[^@/]*:(?!\$\{)[^@/]*@/.test(value)) at(`${variable} holds a password`);
    }
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':');
      if (source.startsWith('.') ? !existsSync(join(root, source)) : !(source in volumes)) {
        at(`the volume ${source} does not exist`);
      }
    }
    for (const network of service.networks ?? []) {
      if (!(network in networks)) at(`the network ${network} does not exist`);
    }
    checkDependencies(services, service, at);
    checkGrace(service, at);
  }
  checkRoles(services, fault);
  checkVariables(fault);
  tell(`${FILE}: ${Object.keys(services).length} services`);
}

/** A service may only wait for what can come true, and for services that are started with it. */
function checkDependencies(services, service, at) {
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const needed = services[other];
    if (needed === undefined) {
      at(`depends on ${other}, which does not exist`);
      continue;
    }
    if (condition === 'service_healthy' && needed.healthcheck === undefined)
      at(`${other} has no healthcheck`);
    if (condition === 'service_completed_successfully' && needed.restart !== 'no') at(`${other} never ends`);
    if (needed.profiles !== undefined && !needed.profiles.some((one) => service.profiles?.includes(one))) {
      at(`depends on ${other}, which another profile starts`);
    }
  }
}

/** The roles are made at each start, and before anything that logs in as one of them. */
function checkRoles({ database, roles, migrate }, fault) {
  const script = read('deploy/postgres/roles.sh');
  for (const [, name] of script.matchAll(/^\\getenv \w+ (\w+)$/gm)) {
    if (roles.environment[name] === undefined) fault(`roles: the script needs ${name}`);
  }
  if (database.volumes.some((volume) => volume.includes('initdb.d'))) {
    fault('database: what is in initdb.d runs once, and never again after a failure');
  }
  if (migrate.depends_on.roles?.condition !== 'service_completed_successfully') {
    fault('migrate: must wait for roles');
  }
}

/** Who is killed before it has drained and stopped loses requests. */
function checkGrace({ environment = {}, stop_grace_period: grace }, at) {
  const drainMs = environment['DRAIN_GRACE_MS'];
  if (drainMs === undefined) return;
  const neededMs = Number(drainMs) + Number(environment['SHUTDOWN_TIMEOUT_MS']);
  const graceMs = Number(/^(\d+)s$/.exec(grace ?? '')?.[1]) * 1000;
  if (!(graceMs > neededMs)) at(`stop_grace_period must be longer than ${neededMs} ms`);
}

/** What the file takes from .env is named in .env.example, and the other way round. */
function checkVariables(fault) {
  const uncommented = read(FILE).replaceAll(/^\s*#.*$/gm, '');
  const taken = new Set([...uncommented.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  const named = new Set([...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
  for (const name of taken) if (!named.has(name)) fault(`${name} is not in .env.example`);
  // Docker itself reads these.
  for (const name of named) {
    if (!taken.has(name) && !name.startsWith('COMPOSE_'))
      fault(`.env.example names ${name}, which is not used`);
  }
  for (const [, name, value] of read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)) {
    if (SECRET.test(name) && value !== '') fault(`.env.example holds a value of ${name}`);
  }
}
