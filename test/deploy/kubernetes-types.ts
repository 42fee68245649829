import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../setup/project-files.ts";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The module of kubernetes-types that has a kind: the first word of the API group, and the version. */
const moduleOf = ({ apiVersion }: Manifest): string => {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? `core/${group}` : `${group.split(".")[0]}/${version}`;
};

const declaration = (manifest: Manifest, index: number): string =>
  `export const manifest${index}: import("kubernetes-types/${moduleOf(manifest)}").${manifest.kind} = ${JSON.stringify(manifest)};`;

/**
 * The problems of manifests by the types of the Kubernetes API: unknown fields, missing fields and wrong types, because the
 * compiler checks the fields of object literals exactly.
 */
export const manifestProblems = (manifests: readonly Manifest[]): string[] => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-manifests-"));
  try {
    writeFileSync(join(folder, "manifests.ts"), manifests.map(declaration).join("\n"));
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: "es2022", module: "nodenext", types: [], skipLibCheck: true },
      paths: { "kubernetes-types/*": [`${projectRoot}node_modules/kubernetes-types/*.d.ts`] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["manifests.ts"] }));
    const tsc = join(projectRoot, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", folder], {
      encoding: "utf8",
    });
    const problems = stdout.split("\n").filter((line) => line.trim() !== "");
    return status === 0 || problems.length > 0 ? problems : [`tsc ended with ${status}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
};
