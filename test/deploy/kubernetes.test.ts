import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { apiSettings } from '@inventory/api/config';
import { connectionsOf } from '@inventory/api/database';
import { loginOf, parts, roleOf } from '@inventory/db/access/logins';
import { postgresSettings } from '@inventory/local/postgres/postgres-settings';
import { connections, readConfig } from '@inventory/process/settings/config';
import { workerSettings } from '@inventory/worker/config';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readClocks } from '../clocks/clocks.ts';
import {
  kustomizations,
  type Manifest,
  manifestFiles,
  manifestFolder,
  manifests,
  namedBy,
  ofKind,
  podTemplates,
  readManifests,
} from '../harness/deploy/manifests.ts';
import { typeCheckManifests } from '../harness/deploy/type-check-manifests.ts';
import { useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';
import { namedMetrics } from '../harness/watch/named-metrics.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = textOf('deploy/kubernetes/README.md');
const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name)!;
const podsOf = (name: string) => podTemplates.find((each) => each.name === name)!;
const ours = ['inventory-api', 'inventory-worker', 'inventory-migrate'];
const sharedSettings = Object.fromEntries(
  textOf('deploy/kubernetes/base/settings.env')
    .trim()
    .split('\n')
    .map((line) => line.split('=') as [string, string]),
);

/** The environment of a container, as Kubernetes builds it. */
function environmentOf(name: string): Record<string, string> {
  const [container] = podsOf(name).spec.containers;
  const shared = container.envFrom === undefined ? {} : sharedSettings;
  return { ...shared, ...Object.fromEntries(container.env.map((each: Manifest) => [each.name, each.value])) };
}

describe('the files', () => {
  test('a kustomization names each, except the namespace, and names no file that is missing', () => {
    const mentioned = kustomizations.flatMap(namedBy);
    expect(mentioned.filter((path) => !existsSync(join(manifestFolder, path)))).toEqual([]);
    const files = manifestFiles.map(({ path }) => path);
    const forgotten = files.filter(
      (path) => !mentioned.includes(path) && !path.endsWith('kustomization.yaml'),
    );
    expect(forgotten).toEqual(['namespace.yaml']);
    const folders = kustomizations.map(({ path }) => path.replace('/kustomization.yaml', ''));
    expect(folders.filter((path) => !mentioned.includes(path)).sort()).toEqual([
      'overlays/production',
      'overlays/small',
    ]);
  });

  test('each has the fields of its kind, and no other', async () => {
    expect(manifests.length).toBeGreaterThan(20);
    expect(await typeCheckManifests(manifests)).toBe('');
  });

  test('an unknown field and a value of another type are reported', async () => {
    const worker = structuredClone(named('Deployment', 'inventory-worker'));
    worker.spec.template.spec.containers[0].imag = 'inventory';
    expect(await typeCheckManifests([worker])).toContain('"imag"\' does not exist');
    const scaled = structuredClone(named('ScaledObject', 'inventory-worker'));
    scaled.spec.triggers[0].metadata.threshold = 0.7;
    expect(await typeCheckManifests([scaled])).toContain("'number' is not assignable to type 'string'");
  });

  const kustomize = (overlay: string) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      execFile('kubectl', ['kustomize', join(manifestFolder, 'overlays', overlay)], (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : typeof error.code === 'number' ? error.code : null,
          output: error === null ? stdout : stderr,
        }),
      );
    });

  test.for(['small', 'production'])(
    '%s: kustomize builds the applied manifests (skipped without kubectl)',
    async (overlay, { skip }) => {
      const { code, output } = await kustomize(overlay);
      // kubectl could not start.
      if (code === null) skip();
      expect(code, output).toBe(0);
      const built = readManifests(output);
      expect(await typeCheckManifests(built)).toBe('');
      for (const each of built) expect(each.metadata.namespace, each.metadata.name).toBe('inventory');
      const find = (kind: string, name: string) =>
        ofKind(kind, built).find(({ metadata }) => metadata.name === name);
      const [settings] = ofKind('ConfigMap', built);
      expect(settings.data).toEqual(sharedSettings);
      const isProduction = overlay === 'production';
      for (const name of ['inventory-api', 'inventory-worker']) {
        const { spec } = find('Deployment', name)!;
        const pod = spec.template.spec;
        expect(pod.containers[0].envFrom[0].configMapRef.name).toBe(settings.metadata.name);
        expect(pod.containers[0].image).toMatch(/^registry\.example\.com\/inventory:/);
        expect(pod.topologySpreadConstraints[0].whenUnsatisfiable).toBe(
          isProduction ? 'DoNotSchedule' : 'ScheduleAnyway',
        );
        // If set in both places, each `apply` would undo KEDA's work.
        expect(spec.replicas).toBe(isProduction ? undefined : 1);
        expect(find('ScaledObject', name) !== undefined).toBe(isProduction);
      }
      const { instances, postgresql } = find('Cluster', 'inventory-postgres')!.spec;
      expect([instances, postgresql.synchronous?.dataDurability]).toEqual(
        isProduction ? [3, 'required'] : [1, undefined],
      );
    },
  );
});

describe('the pods', () => {
  test('have known settings, with values their process accepts', () => {
    const known = { 'inventory-api': apiSettings, 'inventory-worker': workerSettings };
    for (const [name, settings] of Object.entries(known)) {
      const { DATABASE_PASSWORD_FILE, REDIS_PASSWORD_FILE, ...env } = environmentOf(name);
      expect(
        Object.keys(env).filter((each) => !Object.hasOwn(settings, each)),
        name,
      ).toEqual([]);
      // Throws on an invalid value.
      readConfig(settings, { ...env });
      expect([DATABASE_PASSWORD_FILE, REDIS_PASSWORD_FILE]).toEqual([
        '/secrets/database-password',
        '/secrets/redis-password',
      ]);
    }
    expect(Object.keys(environmentOf('inventory-migrate'))).toEqual([
      'DATABASE_URL',
      'DATABASE_PASSWORD_FILE',
    ]);
  });

  test('have the ports and logins of their settings', () => {
    const portOf = (name: string, port: string) =>
      podsOf(name).spec.containers[0].ports.find((each: Manifest) => each.name === port).containerPort;
    for (const name of ['inventory-api', 'inventory-worker']) {
      const env = environmentOf(name);
      expect(portOf(name, 'internal')).toBe(Number(env.INTERNAL_PORT));
      // Probes and Prometheus come from outside the pod.
      expect(env.INTERNAL_HOST).toBe('0.0.0.0');
      const part = name === 'inventory-api' ? 'api' : 'worker';
      const addresses = [new URL(env.DATABASE_URL!), new URL(env.REDIS_URL!)];
      expect(addresses.map(({ username, password }) => [username, password])).toEqual([
        [loginOf(part), ''],
        [part, ''],
      ]);
      const [database, redis] = addresses;
      expect(database!.hostname).toBe(`${named('Cluster', 'inventory-postgres').metadata.name}-rw`);
      expect(named('Service', redis!.hostname).spec.ports[0].port).toBe(Number(redis!.port));
    }
    const { PORT, HOST } = environmentOf('inventory-api');
    expect([portOf('inventory-api', 'http'), HOST]).toEqual([Number(PORT), '0.0.0.0']);
  });

  test('run files of the image, as its user, and may do nothing else', () => {
    const [, user] = /^USER (\d+):\d+$/m.exec(textOf('Dockerfile'))!;
    for (const { name, spec } of podTemplates) {
      const [container] = spec.containers;
      if (ours.includes(name)) {
        expect(existsSync(join(root, container.args[0])), name).toBe(true);
        expect(spec.securityContext.runAsUser, name).toBe(Number(user));
        expect(spec.shareProcessNamespace, name).toBe(true);
      }
      expect(spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext, name).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.automountServiceAccountToken, name).toBe(false);
      expect(container.resources.limits.memory, name).toBeDefined();
    }
  });

  test('mount the secrets and keys that the page names, and the YAML contains no secret', () => {
    const rows = [...readme.matchAll(/^\| (`inventory-[^|]*`) +\| `[^|]*` +\| ([^|]*)\|/gm)];
    const keys = new Map(
      rows.flatMap(([, names, keys]) =>
        [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, keys!] as const),
      ),
    );
    const mounted = podTemplates.flatMap(({ spec }) =>
      spec.volumes.flatMap((volume: Manifest) => {
        if (volume.secret !== undefined) return [{ name: volume.secret.secretName, key: 'users.acl' }];
        return (volume.projected?.sources ?? []).map(({ secret }: Manifest) => ({
          name: secret.name,
          key: secret.items[0].key,
        }));
      }),
    );
    const { bootstrap, managed } = named('Cluster', 'inventory-postgres').spec;
    const ofPostgres = [
      bootstrap.initdb.secret,
      ...managed.roles.flatMap((each: Manifest) => each.passwordSecret ?? []),
    ];
    const ofGateway = ofKind('Gateway').flatMap(({ spec }) =>
      spec.listeners.flatMap(({ tls }: Manifest) => tls.certificateRefs),
    );
    const asked = [
      ...mounted,
      ...ofPostgres.map(({ name }) => ({ name, key: 'password' })),
      ...ofGateway.map(({ name }) => ({ name, key: 'tls.key' })),
    ];
    for (const { name, key } of asked) expect(keys.get(name), name).toContain(`\`${key}\``);
    expect([...keys.keys()].filter((name) => !asked.some((each) => each.name === name))).toEqual([]);
    expect(ofKind('Secret')).toEqual([]);
  });

  test('stop in order: an api is told, answers its longest request, and is not killed earlier', () => {
    const msOf = (name: string, file: string) =>
      readClocks().find((clock) => clock.name === name && clock.file === file)!.ms;
    const answerWithinMs = msOf('answerWithinMs', 'apps/api/src/http/route.ts');
    const stopWithinMs = msOf('stopWithinMs', 'packages/libraries/process/src/run.ts');
    const { DRAIN_MS } = environmentOf('inventory-api');
    expect(Number(DRAIN_MS) + answerWithinMs).toBeLessThan(stopWithinMs);
    const tooLong = { DRAIN_MS: String(stopWithinMs - answerWithinMs) };
    expect(() => readConfig({ DRAIN_MS: apiSettings.DRAIN_MS }, tooLong)).toThrow('DRAIN_MS must be at most');
    for (const name of ['inventory-api', 'inventory-worker'])
      expect(podsOf(name).spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopWithinMs);
  });
});

test('every selector finds a pod, and every pod of ours has a policy that blocks everything else', () => {
  // CloudNativePG names the pods of Postgres.
  const ofPostgres = {
    name: 'inventory-postgres',
    labels: { 'cnpg.io/cluster': 'inventory-postgres' } as Record<string, string>,
    spec: { containers: [{ ports: [5432, 8000, 9187].map((name) => ({ name })) }] },
  };
  const finds = ({ matchLabels = {}, matchExpressions = [] }: Manifest) =>
    [...podTemplates, ofPostgres].filter(
      ({ labels }) =>
        Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
        matchExpressions.every(({ key, values }: Manifest) => values.includes(labels[key])),
    );
  const selectors = [
    ...['Deployment', 'PodDisruptionBudget', 'PodMonitor'].flatMap((kind) =>
      ofKind(kind).map(({ metadata, spec }) => ({
        where: `${kind} ${metadata.name}`,
        selector: spec.selector,
      })),
    ),
    ...ofKind('Service').map(({ metadata, spec }) => ({
      where: `Service ${metadata.name}`,
      selector: { matchLabels: spec.selector },
    })),
    ...ofKind('NetworkPolicy').map(({ metadata, spec }) => ({
      where: `NetworkPolicy ${metadata.name}`,
      selector: spec.podSelector,
    })),
  ];
  expect(selectors.filter(({ selector }) => finds(selector).length === 0).map(({ where }) => where)).toEqual(
    [],
  );
  const [toRedis, toPostgres] = ['inventory-to-redis', 'inventory-to-postgres'].map(
    (name) => named('NetworkPolicy', name).spec.podSelector,
  );
  const [intoRedis] = named('NetworkPolicy', 'inventory-redis').spec.ingress[0].from;
  for (const { matchExpressions } of [toRedis, toPostgres, intoRedis.podSelector])
    expect(matchExpressions[0].values).toContain('operator');
  const [closed] = ofKind('NetworkPolicy').filter(({ spec }) => !spec.ingress && !spec.egress);
  expect(closed.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  expect(finds(closed.spec.podSelector)).toEqual(podTemplates);
  for (const kind of ['Deployment', 'PodDisruptionBudget'])
    expect(ofKind(kind).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['inventory-api', 'inventory-worker']),
    );
  // Every way in can be used: a port name in a policy is a port of the pods.
  for (const { metadata, spec } of ofKind('NetworkPolicy')) {
    const ports = (spec.ingress ?? []).flatMap((rule: Manifest) =>
      rule.ports.map((each: Manifest) => each.port),
    );
    for (const { name, spec: pod } of finds(spec.podSelector))
      for (const port of ports)
        expect(
          pod.containers[0].ports.map((each: Manifest) => each.name),
          `${metadata.name} ${name}`,
        ).toContain(port);
  }
});

describe('Postgres and Redis', () => {
  const { spec } = named('Cluster', 'inventory-postgres');

  test('run with the same settings and versions as every Postgres and Redis of ours', () => {
    const { max_connections: _, shared_buffers: __, ...asked } = spec.postgresql.parameters;
    const settings = Object.entries(postgresSettings);
    // CloudNativePG keeps Postgres' defaults for the first three, and lets nobody change the log's time zone.
    const ofOperator = ['fsync', 'full_page_writes', 'synchronous_commit', 'log_timezone'];
    const varied = ['max_connections', 'shared_buffers'];
    expect(asked).toEqual(
      Object.fromEntries(settings.filter(([name]) => ![...ofOperator, ...varied].includes(name))),
    );
    const { services } = parse(textOf('docker-compose.yml'), { merge: true });
    expect(spec.imageName.split(':')[1]).toBe(services.postgres.image.split(':')[1].split('.')[0]);
    const [redis] = podsOf('inventory-redis').spec.containers;
    expect(redis.image).toBe(services.redis.image);
    expect([...redis.command, ...redis.args]).toEqual(services.redis.command);
  });

  test('an answered transaction is on two machines, and the roles are those the schema grants rights to', () => {
    expect(spec.postgresql.synchronous).toEqual({ method: 'any', number: 1, dataDurability: 'required' });
    expect(spec.instances).toBeGreaterThanOrEqual(3);
    const roles = spec.managed.roles.map(({ name, login, inRoles }: Manifest) => ({ name, login, inRoles }));
    expect(roles).toEqual([
      ...parts.map((part) => ({ name: roleOf(part), login: false, inRoles: undefined })),
      ...parts.map((part) => ({ name: loginOf(part), login: true, inRoles: [roleOf(part)] })),
    ]);
    const owner = new URL(environmentOf('inventory-migrate').DATABASE_URL!);
    expect(spec.bootstrap.initdb).toMatchObject({ owner: owner.username, database: owner.pathname.slice(1) });
  });

  test('Postgres has connections for as many apis and workers as KEDA may start', () => {
    const most = (name: string) =>
      named('ScaledObject', name).spec.maxReplicaCount +
      named('Deployment', name).spec.strategy.rollingUpdate.maxSurge;
    const [, api, worker] = /(\d+) an api, (\d+) a worker/.exec(readme)!.map(Number);
    expect(api).toBe(connectionsOf(10));
    const [, documented] = /workers \((\d+) each\)/
      .exec(textOf('docs/containers.md').replaceAll('\n', ' '))!
      .map(Number);
    expect(worker).toBe(documented);
    // Plus those for superusers, CloudNativePG, the command line and migrations.
    expect(Number(spec.postgresql.parameters.max_connections)).toBeGreaterThanOrEqual(
      most('inventory-api') * api! + most('inventory-worker') * worker! + 3 + 10 + 8,
    );
  });
});

describe('the running processes', () => {
  const service = useService({ env: { INTERNAL_PORT: '0' } });
  const portOf = (name: string) => (name === 'inventory-api' ? service.internalPort! : service.workerPort!);

  test('answer every probe, and show their metrics where Prometheus looks', async () => {
    for (const name of ['inventory-api', 'inventory-worker']) {
      const [container] = podsOf(name).spec.containers;
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
      const [endpoint] = named('PodMonitor', name).spec.podMetricsEndpoints;
      const places = [...probes.map(({ httpGet }) => httpGet), endpoint];
      for (const { path, port } of places) {
        expect(port).toBe('internal');
        const ask = async () => {
          const answer = await fetch(`http://127.0.0.1:${portOf(name)}${path}`);
          await answer.text();
          return [path, answer.status];
        };
        // Polled, because the process has only just started.
        await expect.poll(ask).toEqual([path, 200]);
      }
      // In the form the alert rules use.
      const { jobLabel, selector } = named('PodMonitor', name).spec;
      expect(podsOf(name).labels[jobLabel]).toBe(name);
      expect(selector.matchLabels[jobLabel]).toBe(name);
      expect(textOf('monitoring/prometheus/rules.yml')).toContain(`absent(up{job="${name}"})`);
    }
  });

  test('have the metrics that KEDA asks for', async () => {
    const { kinds } = await readMetrics(portOf('inventory-api'));
    for (const [name, kind] of (await readMetrics(portOf('inventory-worker'))).kinds) kinds.set(name, kind);
    const asked = ofKind('ScaledObject')
      .flatMap(({ spec }) => spec.triggers)
      .flatMap(({ metadata }) => namedMetrics(metadata.query ?? metadata.valueLocation ?? ''));
    expect(asked).toEqual([
      { metric: 'inventory_worker_busy_ratio', labels: ['namespace'] },
      { metric: 'inventory_api_waiting_oldest_seconds', labels: ['namespace'] },
      { metric: 'inventory_api_queue_backlog_envelopes', labels: [] },
    ]);
    for (const { metric } of asked) expect(kinds.get(metric)).toBe('gauge');
  });

  test('answer KEDA under the name it uses', async () => {
    const { triggers } = named('ScaledObject', 'inventory-worker').spec;
    const { url } = triggers.find(({ type }: Manifest) => type === 'metrics-api').metadata;
    const { host, pathname } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      get({ port: portOf('inventory-api'), path: pathname, headers: { Host: host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });
});

test('KEDA may reach the api, and there are queues for as many workers as it starts', () => {
  const { maxReplicaCount, triggers } = named('ScaledObject', 'inventory-worker').spec;
  const { QUEUE_SHARDS } = readConfig({ QUEUE_SHARDS: connections.QUEUE_SHARDS }, sharedSettings);
  expect(QUEUE_SHARDS).toBeGreaterThanOrEqual(maxReplicaCount);
  const { url } = triggers.find(({ type }: Manifest) => type === 'metrics-api').metadata;
  const { hostname, port } = new URL(url);
  const [name, namespace] = hostname.split('.');
  expect(namespace).toBe('inventory');
  expect(named('Service', name!).spec.ports).toEqual([
    { name: 'internal', port: Number(port), targetPort: 'internal' },
  ]);
  const [{ from }] = named('NetworkPolicy', 'inventory-keda').spec.ingress;
  expect(from).toEqual([{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'keda' } } }]);
  // Redis has no user for KEDA: its script would need the right to run any script.
  expect(triggers.map(({ type }: Manifest) => type)).not.toContain('redis');
  expect(readme).not.toMatch(/eval/);
});

test('callers come through an existing gateway, to the port of the service, over TLS only', () => {
  const gateway = named('Gateway', 'inventory');
  const route = named('HTTPRoute', 'inventory-api');
  expect(gateway.spec.listeners.map(({ protocol, tls }: Manifest) => [protocol, tls.mode])).toEqual([
    ['HTTPS', 'Terminate'],
  ]);
  expect(route.spec.parentRefs).toEqual([{ name: gateway.metadata.name }]);
  expect(route.spec.rules[0].filters[0].responseHeaderModifier.set).toEqual([
    { name: 'Strict-Transport-Security', value: expect.stringMatching(/^max-age=\d{8,}$/) },
  ]);
  expect(route.spec.hostnames).toEqual(gateway.spec.listeners.map(({ hostname }: Manifest) => hostname));
  for (const { backendRefs, timeouts } of route.spec.rules) {
    for (const { name, port } of backendRefs)
      expect(named('Service', name).spec.ports.map((each: Manifest) => each.port)).toContain(port);
    expect(timeouts.request).toBe('0s');
  }
  const [{ from }] = named('NetworkPolicy', 'inventory-callers').spec.ingress;
  const [{ namespaceSelector }] = from;
  expect(readme).toContain(`\`${namespaceSelector.matchLabels['kubernetes.io/metadata.name']}\``);
});

test('only clients with a login and the operators of Postgres can reach it', () => {
  const { podSelector, policyTypes, ingress } = named('NetworkPolicy', 'inventory-postgres').spec;
  const ofCluster = { 'cnpg.io/cluster': named('Cluster', 'inventory-postgres').metadata.name };
  expect(podSelector.matchLabels).toEqual(ofCluster);
  expect(policyTypes).toEqual(['Ingress']);
  const [callers, ...keepers] = ingress;
  const goesOut = named('NetworkPolicy', 'inventory-to-postgres').spec;
  expect(callers.from).toEqual([{ podSelector: goesOut.podSelector }]);
  expect(callers.ports).toEqual(goesOut.egress[0].ports);
  for (const { from } of keepers) {
    expect(from.length).toBeGreaterThan(0);
    for (const { podSelector: pods, namespaceSelector: namespaces } of from)
      expect(pods?.matchLabels ?? namespaces.matchLabels).not.toEqual({});
  }
});
