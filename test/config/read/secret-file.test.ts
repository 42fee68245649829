import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig, secretFilesOf } from "../../../config/load-config.ts";
import type { ConfigInvalid } from "../../../config/problems/problem.ts";
import { secretFileReader } from "../../../config/read/secret-file.ts";
import { MINIMAL } from "../problems-of.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mooring-secret-files-"));
  mkdirSync(join(folder, "secrets"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const secret = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, "secrets", name), content);
  return `secrets/${name}`;
};
const configWith = (settings: string): string => {
  const file = join(folder, "mooring.yaml");
  writeFileSync(file, `${MINIMAL}${settings}`);
  return file;
};
const read = (path: string) => secretFileReader(join(folder, "mooring.yaml"))(path);
const problemsIn = async (settings: string): Promise<ConfigInvalid> =>
  await loadConfig({ file: configWith(settings), env: {} }).then(
    () => expect.unreachable("the configuration is valid"),
    (error: ConfigInvalid) => error,
  );

describe("given a value that names a file (U1, U5)", () => {
  it("when the path is relative, then it begins in the folder of the configuration, not in the working directory", async () => {
    secret("data", "here");
    const absolute = join(folder, "secrets/data");
    for (const path of ["secrets/data", "./secrets/data", absolute]) {
      expect((await loadConfig({ file: configWith(`dataDir: \${file:${path}}`), env: {} })).dataDir).toBe("here");
    }
    const file = configWith(`dataDir: "\${file:secrets/data}/\${file:${absolute}}/\${SUB}"`);
    expect((await loadConfig({ file, env: { SUB: "x" } })).dataDir).toBe("here/here/x");
    expect(secretFilesOf({ file, env: {} })).toEqual([absolute]);
  });

  it.each([
    ["a line break", "key\n", "key"],
    ["a line break of Windows", "key\r\n", "key"],
    ["several line breaks", "key\n\n", "key"],
    ["a byte order mark", "\uFEFFkey", "key"],
    ["line breaks inside", "-----BEGIN\nabc\n-----END\n", "-----BEGIN\nabc\n-----END"],
    ["spaces", " key ", " key "],
    ["YAML, variables and references", "${A}: {file} ${file:/x} #", "${A}: {file} ${file:/x} #"],
  ])("when the file has %s, then the value is the text without line breaks at its end", (_, content, text) => {
    expect(read(secret("odd", content))).toEqual({ text });
  });

  it("when a number is expected, then the text is read as one", async () => {
    secret("port", "9000\n");
    const file = configWith('gateway: { port: "${file:secrets/port}" }');
    expect((await loadConfig({ file, env: {} })).gateway.port).toBe(9000);
  });

  it("when it is a symbolic link, as in Kubernetes, then its target is read", () => {
    secret("target", "key");
    symlinkSync("target", join(folder, "secrets/link"));
    expect(read("secrets/link")).toEqual({ text: "key" });
  });

  it("when it has exactly the maximum size, then it is read", () => {
    expect(read(secret("largest", "k".repeat(65_536)))).toEqual({ text: "k".repeat(65_536) });
  });
});

describe("given a value that names a file that cannot be used (U1)", () => {
  it("when there are several, then one pass reports all of them with their files, and no content", async () => {
    secret("empty", "\r\n");
    secret("large", "hidden".repeat(20_000));
    secret("binary", Buffer.from([0x68, 0xff, 0x68]));
    secret("weak", "hidden\n");
    execFileSync("mkfifo", [join(folder, "secrets/pipe")]);
    symlinkSync("loop", join(folder, "secrets/loop"));
    const names = ["absent", "empty", "large", "binary", "pipe", "loop", "."];
    const { problems, message } = await problemsIn(
      [
        "channels:",
        ...names.map((name, index) => `  web${index}: { adapter: web, signingKey: "\${file:secrets/${name}}" }`),
        'metrics: { token: "${file:secrets/weak}" }',
        'dataDir: "${UNSET}"',
      ].join("\n"),
    );
    const needs = (name: string, why: string) => `needs the file ${join(folder, "secrets", name)}, which ${why}`;
    expect(problems.map((problem) => problem.message)).toEqual([
      needs("absent", "does not exist: create it, or correct the path"),
      needs("empty", "is empty: write the value into it"),
      needs("large", "has more than 65536 bytes: correct the path"),
      needs("binary", "is not UTF-8: save it as UTF-8"),
      needs("pipe", "is not a regular file: correct the path"),
      needs("loop", "could not be read (ELOOP): correct the path, or the file"),
      needs(".", "is not a regular file: correct the path"),
      expect.stringContaining("must have at least 20 characters"),
      expect.stringContaining("environment variable UNSET"),
    ]);
    expect(problems[0]).toMatchObject({ path: "channels.web0.signingKey", line: 3 });
    expect(message).not.toContain("hidden");
  });

  it("when the process may not read it, then the problem says how to allow it", () => {
    const deny = () => {
      throw Object.assign(new Error("no"), { code: "EACCES" });
    };
    expect(secretFileReader("/etc/mooring/mooring.yaml", deny)("key")).toEqual({
      problem:
        "needs the file /etc/mooring/key, which this process may not read: make its user or group the file's, or change the mode",
    });
  });
});
