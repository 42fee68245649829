import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../config/load-config.ts";
import { projectRoot } from "../setup/project-files.ts";
import type { Manifest } from "./kubernetes-types.ts";

export const read = (file: string): string => readFileSync(`${projectRoot}${file}`, "utf8");

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly [setting: string]: unknown;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** Compose merges `<<` as YAML 1.1 does. */
export const composeFile = (): ComposeFile => parse(read("compose.yaml"), { merge: true });

export const manifestsIn = (file: string): Manifest[] =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest);

export const secretsIn = (configuration: string): string[] =>
  [...configuration.matchAll(/\$\{file:([^}]+)\}/g)].map(([, path = ""]) => path);

/** Loads a configuration of a container, with the secrets that it names as files of this machine. */
export const loadAsInContainer = async (configuration: string, env: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-deploy-"));
  try {
    const local = configuration.replace(/\$\{file:([^}]+)\}/g, (_, path: string) => {
      const name = path.replaceAll("/", "-");
      writeFileSync(join(folder, name), `kX9vQ2mT7wZ4pR1b${name}\n`);
      return `\${file:${name}}`;
    });
    writeFileSync(join(folder, "mooring.yaml"), local);
    return await loadConfig({ file: join(folder, "mooring.yaml"), env });
  } finally {
    rmSync(folder, { recursive: true });
  }
};
