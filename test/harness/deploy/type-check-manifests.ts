import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from './manifests.ts';

const root = join(import.meta.dirname, '../../..');

// The type of each kind in use, and its source.
const types: Record<string, { type: string; from: string }> = {
  'v1 Namespace': { type: 'INamespace', from: 'kubernetes-models/v1/Namespace' },
  'v1 Service': { type: 'IService', from: 'kubernetes-models/v1/Service' },
  'v1 ConfigMap': { type: 'IConfigMap', from: 'kubernetes-models/v1/ConfigMap' },
  'apps/v1 Deployment': { type: 'IDeployment', from: 'kubernetes-models/apps/v1/Deployment' },
  'batch/v1 Job': { type: 'IJob', from: 'kubernetes-models/batch/v1/Job' },
  'policy/v1 PodDisruptionBudget': {
    type: 'IPodDisruptionBudget',
    from: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  },
  'networking.k8s.io/v1 NetworkPolicy': {
    type: 'INetworkPolicy',
    from: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
  },
  'keda.sh/v1alpha1 ScaledObject': {
    type: 'IScaledObject',
    from: '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject',
  },
  'gateway.networking.k8s.io/v1 Gateway': {
    type: 'IGateway',
    from: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway',
  },
  'gateway.networking.k8s.io/v1 HTTPRoute': {
    type: 'IHTTPRoute',
    from: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute',
  },
  'monitoring.coreos.com/v1 PodMonitor': {
    type: 'IPodMonitor',
    from: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor',
  },
  'postgresql.cnpg.io/v1 Cluster': {
    type: 'ICluster',
    from: '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster',
  },
};

/**
 * The errors of tsc about these manifests, each as a literal of its kind's type: an unknown field, a missing
 * one, or a value of another type. Empty when there are none. Throws for a kind without a type.
 */
export async function typeCheckManifests(checked: readonly Manifest[]): Promise<string> {
  const lines = checked.map((manifest, index) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}`;
    const known = types[kind];
    if (known === undefined) throw new Error(`no type for ${kind}`);
    return (
      `import type { ${known.type} as Type${index} } from '${known.from}';\n` +
      `export const manifest${index}: Type${index} = ${JSON.stringify(manifest)};\n`
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    await symlink(join(root, 'test/node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'manifests.ts'), lines.join(''));
    const compilerOptions = {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['manifests.ts'] }),
    );
    return await new Promise((resolve) => {
      execFile(join(root, 'node_modules/.bin/tsc'), ['-p', folder], (error, stdout, stderr) =>
        resolve(error === null ? '' : stdout || stderr || String(error)),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
