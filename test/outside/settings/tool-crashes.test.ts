import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect } from "vitest";
import { calls, Gate, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { NatsServer } from "../../fakes/nats-server.ts";
import { WebClient } from "../../fakes/web-client.ts";
import { projectRoot } from "../../setup/project-files.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";
import { ToolService } from "./tool-service.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let folder: string;
const ZOD = pathToFileURL(join(projectRoot, "node_modules/zod/index.js")).href;

beforeAll(async () => {
  models = await rig.models();
  folder = await rig.folder();
});

/** A module with a tool that calls the service, and one that may be repeated. */
const moduleFor = (service: ToolService) => `
  import { z } from ${JSON.stringify(ZOD)};
  const tool = (name, repeatable) => ({ contract: 1, name, description: name, input: z.object({}), repeatable, timeoutMs: 60_000,
    run: async (_, { signal, idempotencyKey }) => (await fetch(${JSON.stringify(`${service.url}/hang/`)} + name,
      { signal, method: "POST", headers: { "idempotency-key": idempotencyKey } })).text() });
  export const tools = [tool("module_again", true), tool("module_once", false)];`;

const TOOLS = ["again", "once", "module_again", "module_once"];

/** Starts the product, kills its agents and replaces them. The address may change. */
interface Deployment {
  address(): string;
  replace(): Promise<void>;
}

const embedded = async (config: object): Promise<Deployment> => {
  let running = await rig.start(config, { folder });
  return {
    address: () => running.address,
    replace: async () => {
      running.process.kill("SIGKILL");
      await running.process.exited;
      running = await rig.start(config, { folder });
    },
  };
};

const onNats = async (config: object): Promise<Deployment> => {
  const nats = rig.owns(await NatsServer.start());
  const settings = { ...config, backbone: { nats: { servers: [nats.url], leaseMs: 1_000, partitions: 4 } } };
  const gateway = await rig.start(settings, { command: "gateway", folder });
  let { process: core } = await rig.run(settings, { command: "core", folder });
  await core.running;
  return {
    address: () => gateway.address,
    replace: async () => {
      core.kill("SIGKILL");
      await core.exited;
      ({ process: core } = await rig.run(settings, { command: "core", folder }));
      await core.running;
    },
  };
};

const BACKBONES = { embedded, nats: onNats };

describe.each(["embedded", "nats"] as const)("given tools of the operator on %s (T3)", (backbone) => {
  proves(
    ["agents[].tools[].repeatable"],
    "when the process is killed inside a call, then only a repeatable call is repeated, with its key; after a call, none is",
    async () => {
      const service = rig.owns(await ToolService.start());
      await writeFile(join(folder, "hanging.mjs"), moduleFor(service));
      const held = new Gate();
      let hold = true;
      const model = models.named(`crashing-${backbone}`, async ({ lastUserText, toolOutputs }: ModelRequest) => {
        if (toolOutputs.length === 0) return calls([{ name: lastUserText.slice("use ".length), arguments: {} }]);
        if (hold && lastUserText === "use quick") await held.opened;
        return says(toolOutputs.join("\n"));
      });
      const tool = { description: "x", method: "POST", timeoutMs: 60_000 };
      const tools = [
        "./hanging.mjs",
        { ...tool, name: "again", url: `${service.url}/hang/again`, repeatable: true },
        { ...tool, name: "once", url: `${service.url}/hang/once` },
        { ...tool, name: "quick", url: `${service.url}/quick`, repeatable: true },
      ];
      const rights = { anonymous: ["default", "tool:*"] };
      const deployment = await BACKBONES[backbone]({ agents: [{ name: "mooring", model, rights, tools }] });
      const clients = [...TOOLS, "quick"].map((name) => {
        const client = new WebClient(`${backbone}-${name}`, deployment.address);
        rig.owns({ stop: async () => client.close() });
        return { name, client, said: client.say(`use ${name}`) };
      });
      const answerOf = async (name: string) => {
        const { client, said } = clients.find((one) => one.name === name) ?? { client: undefined, said: "" };
        return String((await client?.answerTo(said))?.markdown);
      };
      const hanging = () => TOOLS.map((name) => service.requests(`/hang/${name}`).length);
      await service.received.until(() => hanging().every((count) => count === 1));
      // The model has the result of the last call, so its turn is killed after the call.
      await expect
        .poll(() => models.requests(`crashing-${backbone}`).filter(({ toolOutputs }) => toolOutputs.length > 0).length)
        .toBeGreaterThan(0);
      hold = false;
      await deployment.replace();
      await service.received.until(() => hanging().reduce((sum, count) => sum + count, 0) === TOOLS.length + 2);
      service.release();
      held.release();
      for (const name of ["again", "module_again"]) expect(await answerOf(name)).toContain("answered");
      for (const name of ["once", "module_once"]) expect(await answerOf(name)).toContain("Interrupted");
      expect(await answerOf("quick")).toContain("answered");
      expect([hanging(), service.requests("/quick").length]).toEqual([[2, 1, 2, 1], 1]);
      for (const name of TOOLS) {
        const keys = service.requests(`/hang/${name}`).map(({ headers }) => headers["idempotency-key"]);
        expect(new Set(keys).size, name).toBe(1);
      }
    },
  );
});
