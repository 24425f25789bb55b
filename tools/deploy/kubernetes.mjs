// deploy/kubernetes/: what Kubernetes itself would say of structure, and what it would not: selectors, ports, variables.
import { documentedVariables, readYaml } from './files.mjs';

const FILES = ['petstore.yaml', 'migrate.yaml', 'secret.example.yaml'];

const API_VERSIONS = {
  ConfigMap: 'v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  Secret: 'v1',
  Service: 'v1',
};

export function checkKubernetes({ fault: tellFault, tell }) {
  const objects = FILES.flatMap((file) =>
    readYaml(`deploy/kubernetes/${file}`).map((object) => {
      const fault = (message) => tellFault(`deploy/kubernetes/${file}: ${object.kind}: ${message}`);
      return Object.assign(object, { fault });
    }),
  );
  const documented = documentedVariables();
  for (const { kind, apiVersion, metadata, data, stringData, fault } of objects) {
    if (API_VERSIONS[kind] === undefined) fault('is not known here');
    else if (apiVersion !== API_VERSIONS[kind]) fault(`apiVersion must be ${API_VERSIONS[kind]}`);
    if (!/^[a-z0-9][a-z0-9-]*$/.test(metadata?.name ?? metadata?.generateName ?? '')) fault('has no name');
    for (const [name, value] of Object.entries({ ...data, ...stringData })) {
      if (!documented.has(name)) fault(`docs/configuration.md does not know ${name}`);
      if (typeof value !== 'string') fault(`${name} must be a string`);
    }
    if (kind === 'Secret' && Object.values(stringData).some((value) => !value.includes('CHANGE_ME'))) {
      fault('holds a secret');
    }
  }

  const pods = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
  for (const pod of pods) checkPod(pod, objects, documented);
  checkSelectors(objects);
  tell(`deploy/kubernetes: ${objects.length} objects`);
}

function checkPod({ kind, spec, fault }, objects, documented) {
  const pod = spec.template.spec;
  if (pod.securityContext?.runAsNonRoot !== true) fault('runAsNonRoot is missing');
  if (pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault') fault('seccompProfile is missing');
  for (const container of pod.containers) {
    const {
      image,
      ports = [],
      env = [],
      envFrom = [],
      securityContext,
      resources,
      volumeMounts = [],
    } = container;
    if (!/:[^:/]+$/.test(image) || image.endsWith(':latest')) fault('the image has no tag');
    const isRestricted =
      securityContext?.allowPrivilegeEscalation === false &&
      securityContext.readOnlyRootFilesystem === true &&
      securityContext.capabilities?.drop?.includes('ALL');
    if (!isRestricted) fault('securityContext is not restricted');
    if (resources?.requests === undefined || resources.limits?.memory === undefined)
      fault('resources are missing');
    for (const { name, valueFrom } of env) {
      if (!documented.has(name)) fault(`docs/configuration.md does not know ${name}`);
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
      const isThere = objects.some(
        (one) => one.kind === 'Secret' && one.metadata.name === secret && key in one.stringData,
      );
      if (!isThere) fault(`${name}: there is no such secret in secret.example.yaml`);
    }
    for (const { configMapRef } of envFrom) {
      const isThere = objects.some(
        (one) => one.kind === 'ConfigMap' && one.metadata.name === configMapRef.name,
      );
      if (!isThere) fault(`there is no ConfigMap ${configMapRef.name}`);
    }
    for (const { name } of volumeMounts) {
      if (!pod.volumes?.some((volume) => volume.name === name)) fault(`there is no volume ${name}`);
    }
    if (kind === 'Deployment') checkProbes(container, ports, fault);
  }
  if (kind === 'Deployment') checkGrace(pod, objects, fault);
}

function checkProbes(container, ports, fault) {
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port } = container[probe]?.httpGet ?? {};
    if (port !== 'management') fault(`${probe} must ask the management port`);
    if (!ports.some(({ name }) => name === port)) fault(`${probe}: there is no port ${port}`);
    const wanted = probe === 'readinessProbe' ? '/health/ready' : '/health/live';
    if (path !== wanted) fault(`${probe} must ask ${wanted}`);
  }
}

function checkGrace(pod, objects, fault) {
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
  const neededMs = Number(data.DRAIN_GRACE_MS) + Number(data.SHUTDOWN_TIMEOUT_MS);
  if (!(pod.terminationGracePeriodSeconds * 1000 > neededMs)) {
    fault(`terminationGracePeriodSeconds must be longer than ${neededMs} ms`);
  }
  const { periodSeconds, failureThreshold } = pod.containers[0].readinessProbe;
  if (!(2 * periodSeconds * failureThreshold * 1000 < Number(data.DRAIN_GRACE_MS))) {
    fault('the readiness is asked too rarely for DRAIN_GRACE_MS');
  }
}

function checkSelectors(objects) {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const { labels } = deployment.spec.template.metadata;
  const ports = deployment.spec.template.spec.containers.flatMap((container) => container.ports);
  const matches = (selector) =>
    Object.keys(selector ?? {}).length > 0 &&
    Object.entries(selector).every(([name, value]) => labels[name] === value);

  if (!matches(deployment.spec.selector.matchLabels))
    deployment.fault('its selector does not match its pods');
  for (const { labelSelector } of deployment.spec.template.spec.topologySpreadConstraints) {
    if (!matches(labelSelector.matchLabels)) deployment.fault('a topology spread does not match its pods');
  }
  for (const { kind, spec, fault } of objects) {
    if (kind === 'Service') {
      if (!matches(spec.selector)) fault('its selector matches no pod');
      for (const { targetPort } of spec.ports) {
        if (!ports.some(({ name }) => name === targetPort)) fault(`there is no port ${targetPort}`);
      }
      if (spec.ports.some(({ targetPort }) => targetPort === 'management'))
        fault('publishes the management port');
    }
    if (kind === 'PodDisruptionBudget' && !matches(spec.selector.matchLabels))
      fault('its selector matches no pod');
    if (kind === 'HorizontalPodAutoscaler') {
      const { kind: target, name } = spec.scaleTargetRef;
      if (target !== 'Deployment' || name !== deployment.metadata.name) fault('its target does not exist');
      if (deployment.spec.replicas !== undefined) fault('the deployment sets the number of replicas, too');
    }
  }
  // Of a job's pods nobody may take one for a replica.
  const job = objects.find(({ kind }) => kind === 'Job');
  const serviceSelector = objects.find(({ kind }) => kind === 'Service').spec.selector;
  const isReplica = Object.entries(serviceSelector).every(
    ([name, value]) => job.spec.template.metadata.labels[name] === value,
  );
  if (isReplica) job.fault('the service would send requests to it');
}
