import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openConfigFile } from "../../config/file/index.ts";
import { loadConfig } from "../../config/index.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { type Role, type Running, runMooring } from "../../gateway/run-mooring.ts";
import { createLogger } from "../../gateway/telemetry/create-logger.ts";
import { LogTail } from "../../gateway/telemetry/log-tail.ts";
import { openBackbone } from "../core/crashes/backbone-data.ts";
import { calls, Gate, type ModelAnswer, says } from "../fakes/model-answer.ts";
import type { ModelRequest } from "../fakes/model-request.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { WebClient } from "../fakes/web-client.ts";
import { plainConfig } from "./deployment.ts";

export const PLATFORM_TOKEN = "platform-kX9vQ2mT7wZ4";
export const ACME_TOKEN = "acme-admin-hB5nY8rC3dL6";

/**
 * The product in this process, with two tenants, two agents that are peers, web channels and a local Teams. Its
 * model delegates ("research …"), calls the other agent ("ask harbour …") or a tool that does not exist ("call a
 * tool …"), and otherwise repeats the message. Subtasks wait
 * for the gate.
 */
export class ConsoleRig {
  readonly teams: FakeTeams;
  readonly gate = new Gate();
  /** The address of each gateway. */
  readonly urls: string[] = [];
  readonly #model: ScriptedModelServer;
  readonly #folder: string;
  readonly #running: Running[] = [];
  readonly #clients: WebClient[] = [];
  /** The configuration without changes. */
  #config: object = {};

  private constructor(teams: FakeTeams, model: ScriptedModelServer, folder: string) {
    this.teams = teams;
    this.#model = model;
    this.#folder = folder;
  }

  /** On NATS there are two gateways and a core. `plant` stores data of earlier days before the product starts. */
  static async start(natsUrl?: string, plant?: (store: Store) => Promise<void>): Promise<ConsoleRig> {
    const folder = await mkdtemp(join(tmpdir(), "mooring-console-"));
    const rig = new ConsoleRig(await FakeTeams.start(), await ScriptedModelServer.start(), folder);
    rig.#model.follow((request) => rig.#answer(request));
    if (plant !== undefined) await rig.#plant(plant, natsUrl);
    if (natsUrl === undefined) await rig.#run(["gateway", "core"]);
    else for (const role of ["core", "gateway", "gateway"] as const) await rig.#run([role], natsUrl);
    rig.teams.endpoint = `${rig.url}/channels/teams/messages`;
    return rig;
  }

  get url(): string {
    return this.urls[0] ?? "";
  }

  visitor(channel = "web"): WebClient {
    const client = new WebClient(`visitor-${this.#clients.length}`, () => this.url, channel);
    this.#clients.push(client);
    return client;
  }

  /** The configuration file has these changes from now on; a text stands for a file that is not valid. */
  edit(changes: object | string): void {
    const text = typeof changes === "string" ? changes : JSON.stringify({ ...this.#config, ...changes }, null, 2);
    writeFileSync(this.#file, text);
  }

  /** The text of the configuration file. */
  get configText(): string {
    return readFileSync(this.#file, "utf8");
  }

  get #file(): string {
    return join(this.#folder, "mooring.yaml");
  }

  /** Calls the admin API as a platform admin. */
  async ask(path: string, method: "GET" | "POST" = "GET"): Promise<ReturnType<typeof JSON.parse>> {
    const headers = { authorization: `Bearer ${PLATFORM_TOKEN}` };
    return (await fetch(`${this.url}/admin/api/${path}`, { method, headers })).json();
  }

  /** Sends a change as a platform admin. */
  async post(path: string, body: object): Promise<ReturnType<typeof JSON.parse>> {
    const headers = { authorization: `Bearer ${PLATFORM_TOKEN}`, "content-type": "application/json" };
    return (
      await fetch(`${this.url}/admin/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    ).json();
  }

  async stop(): Promise<void> {
    this.gate.release();
    for (const client of this.#clients) client.close();
    for (const each of this.#running.toReversed()) await each.stop();
    await Promise.all([this.#model.stop(), this.teams.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #plant(plant: (store: Store) => Promise<void>, natsUrl: string | undefined): Promise<void> {
    const backbone = await openBackbone(
      natsUrl === undefined ? { kind: "embedded", dataDir: this.#folder } : { kind: "nats", servers: [natsUrl] },
    );
    await plant(backbone.store);
    await backbone.close();
  }

  async #run(roles: readonly Role[], natsUrl?: string): Promise<void> {
    const model = {
      provider: "openai-compatible",
      baseUrl: this.#model.baseUrl,
      model: "scripted",
      apiKey: "none",
    };
    const config = plainConfig({
      backbone: natsUrl ? { nats: { servers: [natsUrl], leaseMs: 1_000, partitions: 4 } } : "embedded",
      dataDir: this.#folder,
      admin: {
        tokens: [
          { token: PLATFORM_TOKEN, role: "platform_admin" },
          { token: ACME_TOKEN, role: "org_admin", tenant: "acme" },
        ],
      },
      tenants: { default: {}, acme: {} },
      agents: [
        { name: "mooring", model, peers: ["harbour"], rights: { anonymous: ["default", "peers"] } },
        { name: "harbour", model, peers: ["mooring"], description: "Knows depths and tides." },
        { name: "clerk", tenant: "acme", model },
      ],
      channels: {
        web: { adapter: "web", agent: "mooring" },
        shop: { adapter: "web", agent: "mooring" },
        teams: { ...this.teams.config, agent: "mooring" },
        acme: { adapter: "web", agent: "clerk" },
      },
    });
    this.#config = config;
    if (this.#running.length === 0) this.edit({});
    const from = { file: this.#file, env: {} };
    const logTail = new LogTail();
    const running = await runMooring({
      config: await loadConfig(from),
      readConfig: () => loadConfig(from),
      configFile: openConfigFile(from),
      roles,
      clock: systemClock,
      logger: createLogger("debug", logTail.through({ write: () => undefined })),
      logTail,
      newId: randomUUID,
      abortStart: new AbortController().signal,
    });
    this.#running.push(running);
    if (running.url !== undefined) this.urls.push(running.url);
  }

  #answer({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer {
    if (toolNames.includes("complete_subtask")) return says([this.gate, "Found what there is."]);
    if (lastUserText.startsWith("[")) return says("Here is what came of it.");
    if (toolOutputs.length > 0) return says("I am on it.");
    if (lastUserText.startsWith("research")) return calls(topicsIn(lastUserText).map(spawn));
    if (lastUserText.startsWith("call a tool")) return calls([{ name: "no_such_tool", arguments: {} }]);
    if (lastUserText.startsWith("ask harbour")) return calls([askHarbour(lastUserText)]);
    return says(`You said: ${lastUserText}`);
  }
}

const topicsIn = (text: string): string[] =>
  text
    .replace("research ", "")
    .split(/, | and /)
    .map((topic) => topic.trim());

const spawn = (topic: string) => ({ name: "spawn_subtask", arguments: { name: topic, prompt: topic } });

const askHarbour = (text: string) => ({
  name: "send_message_to_agent",
  arguments: { agent: "harbour", message: text.replace("ask harbour ", "") },
});
