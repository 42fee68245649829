import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type MooringProcess, requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { freePort } from "../setup/free-port.ts";
import { projectRoot } from "../setup/project-files.ts";

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** As docs/operations/container.md makes them: NATS reads a value that begins with a digit as a number. */
const newPassword = () => `p${randomBytes(32).toString("hex")}`;
const ENV_FILE: Readonly<Record<string, string>> = { GATEWAY_PASSWORD: newPassword(), CORE_PASSWORD: newPassword() };
const TOKEN = randomBytes(32).toString("base64");

let folder: string;
let nats: NatsServer;
let address: string;
const processes: MooringProcess[] = [];
let client: WebClient | undefined;

/** Compose replaces `${NAME:?…}` by the values of .env. */
const environmentOf = ({ environment }: Service): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):\?[^}]*\}/, (_, key) => ENV_FILE[key] ?? ""),
    ]),
  );

beforeAll(async () => {
  await requireFreshBuild();
  folder = await mkdtemp(join(tmpdir(), "mooring-compose-"));
  const { services } = parse(await readFile(join(projectRoot, "compose.yaml"), "utf8"), { merge: true });
  nats = await NatsServer.start({
    configFile: join(projectRoot, "docs/nats-server.conf"),
    env: environmentOf(services.nats),
  });
  const [port, corePort] = [await freePort(), await freePort()];
  address = `http://127.0.0.1:${port}`;
  // The addresses and the folder of the secrets become local; everything else is as it is shipped.
  const shipped = await readFile(join(projectRoot, "deploy/compose/mooring.yaml"), "utf8");
  const local = shipped
    .replaceAll("0.0.0.0", "127.0.0.1")
    .replace("port: 8080", `port: ${port}`)
    .replace("port: 8081", `port: ${corePort}`)
    .replace("nats://nats:4222", nats.url)
    .replaceAll("/run/secrets/", `${folder}/`);
  await writeFile(join(folder, "mooring.yaml"), local);
  for (const name of ["operator-token", "metrics-token"]) {
    await writeFile(join(folder, name), `${TOKEN}${name === "metrics-token" ? "m" : ""}\n`);
  }
  for (const service of [services.gateway, services.core] as Service[]) {
    const options = { cwd: folder, env: environmentOf(service) };
    processes.push(startMooring([...service.command, "--config", "mooring.yaml"], options));
  }
  await Promise.all(processes.map((process) => process.running));
});
afterAll(async () => {
  client?.close();
  for (const process of processes) process.kill("SIGKILL");
  await Promise.all(processes.map((process) => process.exited));
  await nats?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

describe("given the services of compose.yaml with its configuration, variables and secrets (U5)", () => {
  it("when a visitor writes and an operator signs in, then both get answers, and NATS denied nothing", async () => {
    client = new WebClient("ann", () => address);
    expect((await client.answerTo(client.say("What is 6 * 7?"))).markdown).toContain("42");
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${address}/admin/api/me`, { headers })).status).toBe(200);
    expect((await fetch(`${address}/health/ready`)).status).toBe(200);
    for (const process of processes) expect(process.stderr()).not.toMatch(/NATS denies|permissions violation/i);
  });

  it("when Compose stops them, then each ends within its grace period without an error", async () => {
    for (const process of processes) process.kill("SIGTERM");
    expect(await Promise.all(processes.map((process) => process.exited))).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
  });
});
