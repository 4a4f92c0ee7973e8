import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The folder of what is applied to a cluster. */
export const manifestFolder = join(import.meta.dirname, '../../deploy/kubernetes');

// Whatever stands in a file: tsc says what may.
// biome-ignore lint/suspicious/noExplicitAny: the shapes are those of Kubernetes, and are checked as a whole.
export type Manifest = any;

export type ManifestFile = { path: string; documents: Manifest[] };

/** Every YAML file of the folder, by its path from there, with what stands in it. */
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

/** The documents of a text, without empty ones. Throws what YAML refuses. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const value = document.toJS();
    return value === null ? [] : [value];
  });
}

export const kustomizations = manifestFiles.filter(({ path }) => path.endsWith('kustomization.yaml'));

/** The files and folders that a kustomization names, by their path from the folder of all. */
export function namedBy({ path, documents }: ManifestFile): string[] {
  const [{ resources = [], components = [], patches = [], configMapGenerator = [] }] = documents;
  return [
    ...resources,
    ...components,
    ...patches.flatMap((patch: Manifest) => patch.path ?? []),
    ...configMapGenerator.flatMap((each: Manifest) => each.envs ?? []),
  ].map((name: string) => relative(manifestFolder, join(manifestFolder, dirname(path), name)));
}

/** What is applied: every document that is no patch and no kustomization. */
export const manifests: readonly Manifest[] = manifestFiles
  .filter((file) => !kustomizations.includes(file))
  .flatMap(({ documents }) => documents)
  .filter((document) => document.kind !== undefined);

export function ofKind(kind: string, among: readonly Manifest[] = manifests): Manifest[] {
  return among.filter((each) => each.kind === kind);
}

/** The pods that these manifests start: the name of what starts them, their labels, their specification. */
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
