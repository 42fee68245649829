import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { MINIMAL } from "./problems-of.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "mooring-config-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const fileWith = (name: string, content: string | Uint8Array): string => {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
};
const named = (name: string) => MINIMAL.replace("mooring", name);

describe("given no file", () => {
  it("then the shipped default is read, which needs no environment", async () => {
    const config = await loadConfig({ env: {} });
    expect(config.backbone).toBe("embedded");
    expect(JSON.stringify(config.agents.map(({ model }) => model))).toContain('"demo"');
    expect(Object.keys(config.channels)).toEqual(["web", "cli"]);
  });
});

describe("given a file", () => {
  it("when the caller and the environment name one, then the caller takes precedence", async () => {
    const env = { MOORING_CONFIG: fileWith("env.yaml", named("from-env")) };
    const file = fileWith("argument.yaml", named("from-argument"));
    expect((await loadConfig({ env })).agents[0]?.name).toBe("from-env");
    expect((await loadConfig({ env, file })).agents[0]?.name).toBe("from-argument");
  });

  it("when an .env file is beside it, then it is read, and the environment takes precedence", async () => {
    const file = fileWith("secrets.yaml", named('"${AGENT}"'));
    fileWith(".env", "AGENT=from-file\n");
    expect((await loadConfig({ file, env: {} })).agents[0]?.name).toBe("from-file");
    expect((await loadConfig({ file, env: { AGENT: "from-env" } })).agents[0]?.name).toBe("from-env");
    rmSync(path.join(directory, ".env"));
    await expect(loadConfig({ file, env: {} })).rejects.toThrow("AGENT, which is not set");
  });

  it("when it does not exist, then the message says how to set another", async () => {
    const file = path.join(directory, "absent.yaml");
    await expect(loadConfig({ file, env: {} })).rejects.toThrow(
      `${file} has a problem:\n  file not found: set --config or MOORING_CONFIG to a readable file`,
    );
  });

  it("when it is a directory, then it is refused", async () => {
    await expect(loadConfig({ file: directory, env: {} })).rejects.toThrow("EISDIR");
  });

  it("when it is not UTF-8, then it is refused", async () => {
    await expect(loadConfig({ file: fileWith("latin1.yaml", Buffer.from([0x61, 0xe9])), env: {} })).rejects.toThrow(
      "not UTF-8",
    );
  });

  it("when it is too large, then it is refused before it is parsed", async () => {
    await expect(loadConfig({ file: fileWith("huge.yaml", "#".repeat(262_145)), env: {} })).rejects.toThrow(
      "the maximum is 262144",
    );
  });
});

describe("given the example, with a secret in every variable", async () => {
  const file = fileURLToPath(new URL("../../config/example.yaml", import.meta.url));
  const wanted = new Set(
    [...readFileSync(file, "utf8").matchAll(/^[^#\n]*"\$\{(\w+)\}"/gm)].map(([, name]) => name ?? ""),
  );
  const beginnings: Record<string, string> = { SLACK_BOT_TOKEN: "xoxb-", SLACK_APP_TOKEN: "xapp-" };
  const env = Object.fromEntries(
    [...wanted].map((name) => [name, `${beginnings[name] ?? ""}hidden-in-${name}-long-enough-for-a-key`]),
  );
  const config = await loadConfig({ file, env });

  it("when the configuration is printed, then the secrets are masked", async () => {
    expect(wanted.size).toBeGreaterThan(3);
    expect(JSON.stringify(config).match(/\[secret\]/g)).toHaveLength(wanted.size);
    expect(inspect(config, { depth: null, showHidden: true })).not.toContain("hidden-in");
    expect(JSON.stringify(config)).not.toContain("hidden-in");
  });

  it("when a secret is revealed, then it has its value", async () => {
    const { web } = config.channels;
    expect(web && "signingKey" in web && web.signingKey?.reveal()).toBe(env.WEB_SIGNING_KEY);
    expect(config.admin.tokens.map(({ token }) => token.reveal())).toEqual([
      env.MOORING_ADMIN_TOKEN,
      env.ACME_ADMIN_TOKEN,
    ]);
  });
});
