import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadAsInContainer, manifestsIn, read, secretsIn } from "./deploy-files.ts";
import { manifestProblems } from "./kubernetes-types.ts";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly workingDir?: string;
}
interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly strategy?: object;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
    readonly minAvailable?: number;
  };
}

const manifests = [...manifestsIn("deploy/kubernetes/mooring.yaml"), ...manifestsIn("deploy/kubernetes/nats.yaml")];
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind)) as unknown as Workload[];
const dataOf = (name: string) =>
  (ofKind("ConfigMap") as unknown as { metadata: { name: string }; data: Record<string, string> }[]).find(
    ({ metadata }) => metadata.name === name,
  )?.data ?? {};
const named = (name: string): Workload => {
  const found = ofKind("Deployment", "StatefulSet").find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`${name} is missing`);
  return found;
};
const containerOf = (name: string): Container => named(name).spec.template.spec.containers[0];
const configuration = dataOf("mooring")["mooring.yaml"] ?? "";
const HEALTH_PATHS = [...read("gateway/http/readiness.ts").matchAll(/"(\/health\/\w+)"/g)].map(([, found]) => found);
const ROLES = ["gateway", "core"] as const;

describe("given the manifests for Kubernetes (U5)", () => {
  it("then they have the types of the Kubernetes API, and a wrong field would be reported", () => {
    const [configMap, ...others] = manifests;
    expect(manifestProblems(manifests)).toEqual([]);
    const wrong = [{ ...(configMap ?? { apiVersion: "v1", kind: "ConfigMap" }), dat: {} }, ...others];
    expect(manifestProblems(wrong)).toEqual([expect.stringContaining("'\"dat\"' does not exist in type 'ConfigMap'")]);
  });

  it.each(["mooring-gateway", "mooring-core", "nats"])(
    "then %s runs without root, without writing to its root, with limits and a disruption budget",
    (name) => {
      const { spec } = named(name);
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
          },
        ],
      });
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      const budget = ofKind("PodDisruptionBudget").find(({ metadata }) => metadata.name === name)?.spec;
      expect(budget?.selector).toEqual(spec.selector);
      expect(budget?.minAvailable).toBe(spec.replicas - 1);
      const volumes = [
        ...spec.template.spec.volumes.map((volume) => volume.name),
        ...(name === "nats" ? ["data"] : []),
      ];
      expect(
        containerOf(name)
          .volumeMounts.map((mount) => mount.name)
          .sort(),
      ).toEqual(volumes.sort());
    },
  );

  it.each(ROLES)("then the %s is probed where it answers, and stops within its grace period", async (role) => {
    const { spec } = named(`mooring-${role}`);
    const { args, env, ports, startupProbe, livenessProbe, readinessProbe } = containerOf(`mooring-${role}`);
    expect(args).toEqual([role]);
    const variables = Object.fromEntries(env.map(({ name, value = "" }) => [name, value]));
    const config = await loadAsInContainer(configuration, variables);
    expect(config[role]).toMatchObject({ host: "0.0.0.0", port: ports[0]?.containerPort });
    expect(config.backbone).toMatchObject({ nats: { user: role, inboxPrefix: `_INBOX_${role}` } });
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(HEALTH_PATHS).toContain(httpGet.path);
      expect(httpGet.port).toBe(ports[0]?.name);
    }
    expect(readinessProbe.httpGet.path).toBe("/health/ready");
    if (role === "gateway") {
      expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold * 1_000).toBeLessThan(
        config.gateway.drainMs,
      );
    }
    expect(spec.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(25);
  });

  it.each(ROLES)("then the secrets and the configuration of the %s are mounted where it reads them", (role) => {
    const mounts = containerOf(`mooring-${role}`).volumeMounts;
    const readOnly = mounts.filter((mount) => mount.readOnly).map((mount) => `${mount.mountPath}/`);
    const needed = [...secretsIn(configuration), "/etc/mooring/mooring.yaml"];
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((file) => !readOnly.some((folder) => file.startsWith(folder)))).toEqual([]);
    expect(mounts.map((mount) => mount.mountPath)).toEqual(expect.arrayContaining(["/var/lib/mooring", "/tmp"]));
  });

  it("then every object that a pod names exists, or the page says how to create it", () => {
    const text = JSON.stringify(manifests);
    const referred = [
      ...text.matchAll(/"(?:configMap|secretKeyRef)":\{"name":"([\w-]+)"|"secretName":"([\w-]+)"/g),
    ].map(([, one, other]) => one ?? other ?? "");
    const page = read("docs/operations/kubernetes.md");
    const exists = (name: string) =>
      Object.keys(dataOf(name)).length > 0 ||
      new RegExp(`kubectl create (secret generic|configmap) ${name} `).test(page);
    expect(new Set(referred)).toEqual(new Set(["mooring", "mooring-nats", "nats", "nats-roles"]));
    expect([...new Set(referred)].filter((name) => !exists(name))).toEqual([]);
    expect(page).toMatch(/kubectl create secret generic mooring /);
  });
});

describe("given the configuration of NATS in the manifests", () => {
  it("when nats-server checks it with the roles and the variables of a pod, then it is valid", () => {
    const folder = mkdtempSync(join(tmpdir(), "mooring-nats-conf-"));
    try {
      for (const each of ["server", "roles"]) mkdirSync(join(folder, each));
      writeFileSync(join(folder, "server/nats.conf"), dataOf("nats")["nats.conf"] ?? "");
      writeFileSync(join(folder, "roles/nats-server.conf"), read("docs/nats-server.conf"));
      const variables = containerOf("nats").env.map(({ name }) => [name, `value-of-${name}`]);
      const env = { PATH: process.env.PATH, ...Object.fromEntries(variables) };
      const config = join(folder, "server/nats.conf");
      const checked = spawnSync("nats-server", ["-t", "-c", config], { env, cwd: folder, encoding: "utf8" });
      expect([checked.status, checked.stderr]).toEqual([0, expect.stringContaining("is valid")]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("then Mooring names every server of the cluster, and keeps as many copies", async () => {
    const { replicas } = named("nats").spec;
    const hosts = Array.from({ length: replicas }, (_, index) => `nats-${index}.nats`);
    const config = await loadAsInContainer(configuration, { NATS_USER: "core" });
    const servers = hosts.map((host) => `nats://${host}:4222`);
    expect(config.backbone).toMatchObject({ nats: { servers, replicas } });
    const routes = containerOf("nats").env.filter(({ name }) => /^ROUTE_\d$/.test(name));
    expect(routes.map(({ value }) => value)).toEqual(
      hosts.map((host) => `nats-route://route:$(ROUTE_PASSWORD)@${host}:6222`),
    );
    expect(dataOf("nats")["nats.conf"]).toContain(`routes: [${routes.map(({ name }) => `$${name}`).join(", ")}]`);
    expect(containerOf("nats").workingDir).toBe("/data");
  });
});
