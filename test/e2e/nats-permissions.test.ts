import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, type NatsConnection } from "nats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { type MooringProcess, requireFreshBuild } from "./mooring-process.ts";

const CONFIG_FILE = fileURLToPath(new URL("../../docs/nats-server.conf", import.meta.url));
const passwords = { gateway: "of-the-gateway", core: "of-the-core" } as const;
type Role = keyof typeof passwords;
const ADMIN = "admin-kX9vQ2mT7wZ4pR1b";

/** Collections whose records never expire and are never deleted. */
const KEYS = ["web-keys", "a2a-keys", "a2a-identity", "owner-secret"];

/** The names of all collections, as the sources declare them. */
const collections = async (): Promise<string[]> => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const names: string[] = [];
  for (const folder of ["core", "gateway", "adapters"]) {
    for (const file of await readdir(join(root, folder), { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      const text = await readFile(join(root, folder, file), "utf8");
      names.push(...[...text.matchAll(/\bcollection\("([\w-]+)"/g)].map(([, name]) => name ?? ""));
    }
  }
  return names;
};

let nats: NatsServer;
let deployment: Deployment;
const processes: MooringProcess[] = [];

beforeAll(async () => {
  await requireFreshBuild();
  nats = await NatsServer.start({
    configFile: CONFIG_FILE,
    env: { GATEWAY_PASSWORD: passwords.gateway, CORE_PASSWORD: passwords.core },
  });
  const fromEnv = (name: string) => `\${${name}}`;
  deployment = await Deployment.create(
    plainConfig({
      backbone: {
        nats: {
          servers: [nats.url],
          leaseMs: 1_000,
          partitions: 2,
          user: fromEnv("NATS_USER"),
          password: fromEnv("NATS_PASSWORD"),
          inboxPrefix: `_INBOX_${fromEnv("NATS_USER")}`,
        },
      },
      admin: { tokens: [{ token: ADMIN, role: "platform_admin" }] },
      agents: [{ name: "mooring", model: { provider: "demo", workMs: 10 } }],
    }),
  );
});
afterAll(async () => {
  await deployment?.dispose();
  await nats?.stop();
});

const start = (role: Role): MooringProcess => {
  const env = { NATS_USER: role, NATS_PASSWORD: passwords[role] };
  const process = deployment.run(role, [], { env });
  processes.push(process);
  return process;
};

describe("given NATS with the users of docs/nats-server.conf (F28)", () => {
  it("when gateway and core run with their own users, then all their work succeeds", async () => {
    const [address] = await Promise.all([start("gateway").running, start("core").running]);
    const ann = deployment.with(new WebClient("ann", () => address));
    expect((await ann.answerTo(ann.say("What is 6 * 7?"))).markdown).toContain("42");
    await ann.answerTo(ann.say("research tides, winds and stars"));
    await ann.until(
      () => ann.log.some(({ correlationId, kind }) => kind === "final" && !correlationId),
      "the synthesis",
    );
    await ann.answerTo(ann.command("status"));
    await ann.answerTo(ann.command("new"));
    const admin = async (path: string) => {
      const response = await fetch(`${address}/admin/api/${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
      expect(response.status, path).toBe(200);
    };
    for (const path of [
      "channels",
      "sessions",
      "subtasks?status=all",
      "schedules",
      "dead-letters",
      "people",
      "use",
      "use/totals",
      "budgets",
      "audit",
    ]) {
      await admin(path);
    }
    const logs = processes.map((process) => process.stdout() + process.stderr()).join("");
    expect(logs).not.toMatch(/denies|permission|violation/i);
  });

  it("then every subject has a role that may publish on it", async () => {
    const config = await readFile(CONFIG_FILE, "utf8");
    const families = Object.values(subjectsOf("default")).map((of) => of("x").family);
    const isNamed = (family: string) =>
      ["mooring", "mooring_signal"].some((root) => config.includes(`"${root}.*.${family}.>"`));
    expect(families.filter((family) => !isNamed(family))).toEqual([]);
  });

  it("then every collection can be swept by one role, except those of keys, which no role may sweep", async () => {
    const config = await readFile(CONFIG_FILE, "utf8");
    const timesSwept = (name: string) => config.split(`"$JS.API.STREAM.PURGE.KV_mooring_${name}"`).length - 1;
    const names = await collections();
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => timesSwept(name) !== (KEYS.includes(name) ? 0 : 1))).toEqual([]);
  });

  describe("when the credentials of one of them leak", () => {
    const signIn = (role: Role): Promise<NatsConnection> =>
      connect({ servers: nats.url, user: role, pass: passwords[role], inboxPrefix: `_INBOX_${role}`, timeout: 5_000 });

    const attempt = async (role: Role, subject: string, body: unknown = {}): Promise<string> => {
      const nc = await signIn(role);
      try {
        const answer = await nc.request(subject, JSON.stringify(body), { timeout: 5_000 });
        return `answered: ${answer.string()}`;
      } catch (error) {
        return error instanceof Error && "code" in error ? String(error.code) : String(error);
      } finally {
        await nc.close();
      }
    };
    const reader = { name: "spy", ack_policy: "explicit", deliver_policy: "all" };
    const making = (stream: string) => ({
      stream_name: stream,
      config: { ...reader, durable_name: "spy" },
      action: "",
    });

    it.each<[Role, what: string, subject: string, body?: unknown]>([
      ["gateway", "starts a subtask", "mooring.default.subtask.run.mooring.0"],
      ["gateway", "lets a peer call begin", "mooring.default.a2a.call.mooring.0"],
      ["gateway", "writes a turn", "$KV.mooring_turns.x"],
      ["gateway", "writes a session's history", "$KV.mooring_history.x"],
      ["gateway", "purges the history", "$JS.API.STREAM.PURGE.KV_mooring_history"],
      ["gateway", "purges turns", "$JS.API.STREAM.PURGE.KV_mooring_turns"],
      ["gateway", "changes what the agent remembers", "$KV.mooring_working-memory.x"],
      ["gateway", "changes the lasting memory of a person", "$KV.mooring_memories.x"],
      ["gateway", "writes a schedule's run", "$KV.mooring_schedule-runs.x"],
      ["gateway", "reads what others have accepted", "$JS.API.STREAM.MSG.GET.mooring_user_message", { seq: 1 }],
      [
        "gateway",
        "listens in on them",
        "$JS.API.CONSUMER.DURABLE.CREATE.mooring_user_message.spy",
        making("mooring_user_message"),
      ],
      ["gateway", "throws them away", "$JS.API.STREAM.PURGE.mooring_user_message"],
      ["gateway", "deletes a stream", "$JS.API.STREAM.DELETE.mooring_user_message"],
      ["core", "sends a digest", "mooring.default.digest.due.web.0"],
      ["core", "writes into a visitor's log", "$KV.mooring_web-log.x"],
      ["core", "writes the audit log", "$KV.mooring_audit.x"],
      ["core", "purges the audit log", "$JS.API.STREAM.PURGE.KV_mooring_audit"],
      ["core", "purges visitors' keys", "$JS.API.STREAM.PURGE.KV_mooring_web-keys"],
      ["core", "changes what was shown where", "$KV.mooring_shown.x"],
      ["core", "changes a person's edit", "$KV.mooring_edits.x"],
      ["core", "takes a held message away", "$KV.mooring_held.x"],
      ["core", "reads the key of agents' cards", "$JS.API.DIRECT.GET.KV_mooring_a2a-keys.$KV.mooring_a2a-keys.x"],
      ["core", "reads the key of visitors' tokens", "$JS.API.DIRECT.GET.KV_mooring_web-keys.$KV.mooring_web-keys.web"],
      [
        "core",
        "lists it",
        "$JS.API.CONSUMER.CREATE.KV_mooring_web-keys.spy.$KV.mooring_web-keys.>",
        making("KV_mooring_web-keys"),
      ],
      ["core", "takes deliveries", "$JS.API.CONSUMER.CREATE.mooring_delivery.spy", making("mooring_delivery")],
      ["core", "changes a stream", "$JS.API.STREAM.UPDATE.mooring_delivery"],
    ])("when %s %s, then the server denies it", async (role, _what, subject, body) => {
      expect(await attempt(role, subject, body)).toBe("PERMISSIONS_VIOLATION");
    });

    it.each<Role>(["gateway", "core"])(
      "when %s deletes data of the other role, then the server denies it",
      async (role) => {
        const config = await readFile(CONFIG_FILE, "utf8");
        const own = config.slice(config.indexOf(role === "gateway" ? "GATEWAY = {" : "CORE = {"));
        const [mayPublish = ""] = own.split("subscribe {");
        const isOwn = (stream: string) => mayPublish.includes(`"$JS.API.STREAM.PURGE.${stream}"`);
        const queues = Object.values(subjectsOf("default")).map((of) => of("x").family.replaceAll(".", "_"));
        const streams = [
          ...(await collections()).map((name) => `KV_mooring_${name}`),
          ...queues.map((q) => `mooring_${q}`),
        ];
        const purges = streams.filter((stream) => !isOwn(stream)).map((stream) => `STREAM.PURGE.${stream}`);
        const others = streams.flatMap((stream) =>
          ["STREAM.DELETE", "STREAM.UPDATE", "STREAM.MSG.DELETE", "STREAM.RESTORE"].map((verb) => `${verb}.${stream}`),
        );
        expect(purges.length).toBeGreaterThan(30);
        const nc = await signIn(role);
        const allowed: string[] = [];
        for (const subject of [...purges, ...others]) {
          const denied = await nc.request(`$JS.API.${subject}`, "{}", { timeout: 5_000 }).then(
            () => false,
            (error: Error & { code?: string }) => error.code === "PERMISSIONS_VIOLATION",
          );
          if (!denied) allowed.push(subject);
        }
        await nc.close();
        expect(allowed).toEqual([]);
      },
    );

    it("then the permitted requests of each role succeed", async () => {
      expect(await attempt("gateway", "$JS.API.STREAM.INFO.mooring_user_message")).toContain("answered");
      expect(await attempt("core", "$JS.API.STREAM.MSG.GET.mooring_user_message", { seq: 1 })).toContain("answered");
    });

    it.each<[Role, string]>([
      ["gateway", "_INBOX_core.>"],
      ["gateway", "mooring.*.user.message.>"],
      ["core", "_INBOX_gateway.>"],
      ["core", "$KV.>"],
    ])("when %s subscribes to %s, then the server denies it", async (role, subject) => {
      const nc = await signIn(role);
      const denied = new Promise((resolve) => {
        nc.subscribe(subject, { callback: (error) => resolve(error?.code) });
      });
      expect(await denied).toBe("PERMISSIONS_VIOLATION");
      await nc.close();
    });
  });
});
