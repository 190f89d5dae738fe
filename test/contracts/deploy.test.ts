import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { QUEUES } from '#queues/index.ts';
import { parseConfig } from '#src/platform/config.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../deploy/kubernetes');

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }).optional(),
});
type Manifest = z.output<typeof manifestSchema>;

interface Model {
  /** @throws when the object breaks the JSON schema of its kind */
  validate(): void;
}

/** By kind. A package compiles the schemas of Kubernetes and of KEDA. */
const MODELS = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  PodDisruptionBudget,
  ScaledObject,
  Service,
} as unknown as Record<string, (new (data: object) => Model) & Pick<Manifest, 'apiVersion'>>; // any data, to be validated

const manifests = readdirSync(FOLDER).flatMap((file) =>
  parseAllDocuments(readFileSync(path.join(FOLDER, file), 'utf8')).map((document) => ({
    file,
    manifest: manifestSchema.parse(document.toJS()),
  })),
);
const [{ manifest: kustomization } = { manifest: null }] = manifests.filter(
  ({ file }) => file === 'kustomization.yaml',
);
const resources = manifests.filter(({ file }) => file !== 'kustomization.yaml');

function validate(manifest: Manifest): void {
  const model = MODELS[manifest.kind];
  if (model?.apiVersion !== manifest.apiVersion)
    throw new Error(`There is no schema of ${manifest.apiVersion} ${manifest.kind}.`);
  new model(manifest).validate();
}

const named = (kind: string): Manifest[] =>
  resources.flatMap(({ manifest }) => (manifest.kind === kind ? manifest : []));

const workloadSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.tuple([z.looseObject({ command: z.array(z.string()) })]) }),
    }),
  }),
});
const commandsOf = (kind: string): Map<string, string[]> =>
  new Map(
    named(kind)
      .map((manifest) => workloadSchema.parse(manifest))
      .map(({ metadata, spec }) => [metadata.name, spec.template.spec.containers[0].command]),
  );

it.each(resources.map(({ file, manifest }) => [`${manifest.kind} of ${file}`, manifest] as const))(
  '%s fits the schema of its kind',
  (_name, manifest) => {
    expect(() => validate(manifest)).not.toThrow();
  },
);

it('refuses a manifest that breaks its schema', () => {
  const [service] = named('Service');
  expect(() => validate(manifestSchema.parse({ ...service, spec: { ports: 80 } }))).toThrow(
    /ports/,
  );
});

it('applies every file', () => {
  const { resources: listed } = z.object({ resources: z.array(z.string()) }).parse(kustomization);
  expect(listed.toSorted()).toEqual([...new Set(resources.map(({ file }) => file))].toSorted());
});

it('serves every queue once', () => {
  const served = [...commandsOf('Deployment').values()].flatMap(([, script, ...queues]) =>
    script === 'workers/main.ts' ? queues : [],
  );
  expect(served.toSorted()).toEqual(QUEUES.map(({ name }) => name).toSorted());
});

it('starts programs that exist, with settings that a process accepts', () => {
  const commands = [...commandsOf('Deployment').values(), ...commandsOf('Job').values()];
  for (const [program, script = ''] of commands) {
    expect(program).toBe('node');
    expect(() => readFileSync(path.resolve(FOLDER, '../..', script))).not.toThrow();
  }
  const [settings] = named('ConfigMap');
  const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(settings);
  expect(() => parseConfig(data)).not.toThrow();
});

it('scales each deployment by one rule at most, on the age of a queue that it serves', () => {
  const ruleSchema = z.object({
    spec: z.object({
      scaleTargetRef: z.object({ name: z.string() }),
      triggers: z.tuple([z.object({ metadata: z.object({ query: z.string() }) })]),
    }),
  });
  const rules = named('ScaledObject').map((rule) => ruleSchema.parse(rule).spec);
  const targets = rules.map(({ scaleTargetRef }) => scaleTargetRef.name);
  expect(new Set(targets).size).toBe(targets.length);
  for (const { scaleTargetRef, triggers } of rules) {
    const { query } = triggers[0].metadata;
    const [, queue] =
      /^max\(millrace_queue_oldest_due_seconds\{queue="([^"]+)"\}\)/.exec(query) ?? [];
    expect(commandsOf('Deployment').get(scaleTargetRef.name)).toContain(queue);
  }
});
