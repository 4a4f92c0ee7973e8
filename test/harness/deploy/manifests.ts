import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The folder of the manifests. */
export const manifestFolder = join(import.meta.dirname, '../../../deploy/kubernetes');

// Any content of a file: tsc checks what is allowed.
// biome-ignore lint/suspicious/noExplicitAny: the shapes are those of Kubernetes, and are checked as a whole.
export type Manifest = any;

export type ManifestFile = { path: string; documents: Manifest[] };

/** Every YAML file of the folder, by its path from there, with its content. */
export const manifestFiles: readonly ManifestFile[] = readdirSync(manifestFolder, {
  recursive: true,
  withFileTypes: true,
})
  .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
  .map((path) => ({
    path: relative(manifestFolder, path),
    documents: readManifests(readFileSync(path, 'utf8')),
  }));

/** The documents of a text, without empty ones. Throws on invalid YAML. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const value = document.toJS();
    return value === null ? [] : [value];
  });
}

export const kustomizations = manifestFiles.filter(({ path }) => path.endsWith('kustomization.yaml'));

/** The files and folders that a kustomization names, by their path from the top folder. */
export function namedBy({ path, documents }: ManifestFile): string[] {
  const [{ resources = [], components = [], patches = [], configMapGenerator = [] }] = documents;
  return [
    ...resources,
    ...components,
    ...patches.flatMap((patch: Manifest) => patch.path ?? []),
    ...configMapGenerator.flatMap((each: Manifest) => each.envs ?? []),
  ].map((name: string) => relative(manifestFolder, join(manifestFolder, dirname(path), name)));
}

/** The applied manifests: every document except patches and kustomizations. */
export const manifests: readonly Manifest[] = manifestFiles
  .filter((file) => !kustomizations.includes(file))
  .flatMap(({ documents }) => documents)
  .filter((document) => document.kind !== undefined);

export function ofKind(kind: string, among: readonly Manifest[] = manifests): Manifest[] {
  return among.filter((each) => each.kind === kind);
}

/** The pods that these manifests start: the name of their workload, their labels, their specification. */
export const podTemplates = ['Deployment', 'Job'].flatMap((kind) =>
  ofKind(kind).map(({ metadata, spec }) => ({
    name: metadata.name as string,
    labels: { 'app.kubernetes.io/part-of': 'inventory', ...spec.template.metadata.labels } as Record<
      string,
      string
    >,
    spec: spec.template.spec as Manifest,
  })),
);
