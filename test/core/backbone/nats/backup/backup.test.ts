import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "nats";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { BackboneConfig } from "../../../../../core/backbone/config.ts";
import { backup, openBackbone, restore } from "../../../../../core/backbone/drivers.ts";
import type { Backbone } from "../../../../../core/contract/ports/backbone.ts";
import { ack } from "../../../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../../../core/contract/ports/logger.ts";
import { collection, keyOf, prefixOf } from "../../../../../core/contract/ports/store.ts";
import { Secret } from "../../../../../core/contract/secret.ts";
import { NatsServer } from "../../../../fakes/nats-server.ts";
import { projectRoot } from "../../../../setup/project-files.ts";
import { counted, notes } from "../../embedded/sample-kinds.ts";
import { eventually } from "../rig/eventually.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const deps = { clock: systemClock, logger: silentLogger };
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "mooring-nats-backup-"));
  undo.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

/** A new server with nothing stored. */
const natsConfig = async (partitions = 4): Promise<Exclude<BackboneConfig, "embedded">> => {
  const server = await NatsServer.start();
  undo.push(() => server.stop());
  return configOf(server, partitions);
};

const configOf = ({ url }: NatsServer, partitions = 4): Exclude<BackboneConfig, "embedded"> => ({
  nats: { servers: [url], prefix: "mooring", replicas: 1, leaseMs: 500, partitions, inboxPrefix: "_INBOX" },
});

const opened = async (config: BackboneConfig, dataDir: string): Promise<Backbone> => {
  const backbone = await openBackbone(config, { ...deps, dataDir });
  undo.push(() => backbone.close());
  return backbone;
};

const numbers = (name: string) => collection(name, z.looseObject({ n: z.number() }));
const [ones, twos] = [numbers("ones"), numbers("twos")];

describe("given a NATS deployment under load", () => {
  it.each([
    { raised: "", to: 4 },
    { raised: " while its partitions are raised", to: 16 },
  ])(
    "when it is backed up again and again$raised, then each copy is one moment, and no message is missing in it (U5)",
    async ({ to }) => {
      const [config, dir] = [await natsConfig(), folder()];
      const backbone = await opened(config, dir);
      const { bus, store } = backbone;
      const done = collection("done", z.looseObject({}));
      let numbered = 0;
      const published: number[] = [];
      const work = async ({ n }: { n: number }) => {
        await store.put(keyOf(done, String(n)), {});
        return ack;
      };
      await bus.consume(counted(), { durable: "worker", concurrency: 8 }, work);
      const stopped = new AbortController();
      // "twos" is written after "ones", and a message after both: no copy may have the later without the earlier.
      const writer = async (name: string) => {
        for (let n = 1; !stopped.signal.aborted; n++) {
          await store.put(keyOf(ones, name), { n });
          await store.put(keyOf(twos, name), { n });
          const number = ++numbered;
          await bus.publish(counted(), { n: number }, { id: `m${number}`, key: name });
          published.push(number);
        }
      };
      const writers = ["a", "b", "c", "d"].map(writer);
      undo.push(() => {
        stopped.abort();
        return Promise.all(writers);
      });
      for (let run = 0; run < RUNS; run++) {
        const until = published.length + 50;
        await eventually(() => expect(published.length).toBeGreaterThan(until));
        if (to > 4 && run === 1) {
          const raising = await opened({ nats: { ...config.nats, partitions: to } }, dir);
          await raising.bus.consume(counted(), { durable: "worker", concurrency: 8 }, work);
        }
        const [file, elsewhere] = [join(dir, `copy-${run}.db`), folder()];
        const before = [...published];
        await backup(config, { dataDir: dir, file, force: false }, systemClock);
        await restore("embedded", { dataDir: elsewhere, file, force: false }, systemClock);
        const copy = await opened("embedded", elsewhere);
        for (const name of ["a", "b", "c", "d"]) {
          const [one, two] = await Promise.all([ones, twos].map((each) => copy.store.get(keyOf(each, name))));
          expect((one?.value.n ?? 0) - (two?.value.n ?? 0)).toBeOneOf([0, 1]);
        }
        const waiting = new Set<number>();
        await copy.bus.consume(counted(), { durable: "worker", concurrency: 8 }, async ({ n }) => {
          waiting.add(n);
          return ack;
        });
        const ended = new Set<number>();
        for await (const { key } of copy.store.list(prefixOf(done))) ended.add(Number(key));
        await eventually(() => expect(before.filter((n) => !ended.has(n) && !waiting.has(n))).toEqual([]));
        await copy.close();
      }
    },
  );
});

describe("given data with open messages of two durables", () => {
  const filled = async (config: BackboneConfig, dataDir: string): Promise<void> => {
    const backbone = await opened(config, dataDir);
    const { bus, store } = backbone;
    await store.put(keyOf(notes, "kept", "ümlaut"), { text: "kept" });
    await store.put(keyOf(notes, "gone"), { text: "gone" });
    await store.delete(keyOf(notes, "gone"));
    await store.put(keyOf(notes, "brief"), { text: "brief" }, { ttlMs: 3_600_000 });
    const seen: number[] = [];
    const quick = await bus.consume(counted(), { durable: "quick", concurrency: 1 }, async ({ n }) => {
      seen.push(n);
      return ack;
    });
    const slow = await bus.consume(counted(), { durable: "slow", concurrency: 4 }, async ({ n }) =>
      n === 2 ? { retryInMs: 60_000 } : ack,
    );
    for (const n of [1, 2, 3]) await bus.publish(counted(), { n }, { id: `m${n}`, key: `k${n}` });
    await eventually(() => expect(seen).toHaveLength(3));
    await eventually(() => expect(backbone.queues().find(({ durable }) => durable === "slow")?.waiting).toBe(1));
    await Promise.all([quick.close(), slow.close()]);
    await bus.publish(counted(), { n: 4 }, { id: "m4", key: "k2" });
    await backbone.close();
  };

  const content = async (config: BackboneConfig, dataDir: string) => {
    const { store, bus } = await opened(config, dataDir);
    const seen: Record<string, number[]> = { quick: [], slow: [] };
    for (const durable of ["quick", "slow"]) {
      await bus.consume(counted(), { durable, concurrency: 4 }, async ({ n }) => {
        seen[durable]?.push(n);
        return ack;
      });
    }
    await bus.publish(counted(), { n: 5 }, { id: "m5", key: "k2" });
    await eventually(() => {
      expect(seen.quick).toContain(5);
      expect(seen.slow).toContain(5);
    });
    const entries: Record<string, string> = {};
    for await (const { key, value } of store.list(prefixOf(notes))) entries[key] = value.text;
    return { entries, seen };
  };

  const EXPECTED = {
    entries: { [keyOf(notes, "kept", "ümlaut").encoded]: "kept", brief: "brief" },
    seen: { quick: [4, 5], slow: [2, 4, 5] },
  };

  it.each([
    ["embedded", "nats"],
    ["nats", "embedded"],
    ["nats", "nats"],
  ] as const)(
    "when it moves from %s to %s, then each durable continues with its own messages (U5)",
    async (from, to) => {
      const [source, target] = [folder(), folder()];
      const sourceConfig = from === "nats" ? await natsConfig() : "embedded";
      const targetConfig = to === "nats" ? await natsConfig(8) : "embedded";
      await filled(sourceConfig, source);
      const file = join(source, "copy.db");
      mkdirSync(`${file}.partial-${DEAD_PID}-data`);
      await backup(sourceConfig, { dataDir: source, file, force: false }, systemClock);
      await restore(targetConfig, { dataDir: target, file, force: false }, systemClock);
      expect(await content(targetConfig, target)).toEqual(EXPECTED);
      expect(readdirSync(source).filter((name) => name.includes("partial"))).toEqual([]);
    },
  );

  it("when it is restored on NATS, and copied again before a process has started, then its open messages are in that copy (U5)", async () => {
    const [source, between, target] = [folder(), folder(), folder()];
    const [config, first, second] = [await natsConfig(), join(source, "copy.db"), join(between, "copy.db")];
    await filled("embedded", source);
    await backup("embedded", { dataDir: source, file: first, force: false }, systemClock);
    await restore(config, { dataDir: between, file: first, force: false }, systemClock);
    await backup(config, { dataDir: between, file: second, force: false }, systemClock);
    await restore("embedded", { dataDir: target, file: second, force: false }, systemClock);
    expect(await content("embedded", target)).toEqual(EXPECTED);
  });

  it("when the user for backups of docs/nats-server.conf restores and backs up, then its rights suffice (U5)", async () => {
    const [source, between, target] = [folder(), folder(), folder()];
    const commented = readFileSync(join(projectRoot, "docs/nats-server.conf"), "utf8");
    const configFile = join(source, "nats.conf");
    writeFileSync(configFile, commented.replace("# { user: backup", "{ user: backup"));
    const env = { GATEWAY_PASSWORD: "pg", CORE_PASSWORD: "pc", BACKUP_PASSWORD: "pb" };
    const server = await NatsServer.start({ configFile, env });
    undo.push(() => server.stop());
    const own = { user: "backup", password: new Secret("pb"), inboxPrefix: "_INBOX_backup" };
    const config = { nats: { ...configOf(server).nats, ...own } };
    await filled("embedded", source);
    const [first, second] = [join(source, "copy.db"), join(between, "copy.db")];
    await backup("embedded", { dataDir: source, file: first, force: false }, systemClock);
    await restore(config, { dataDir: between, file: first, force: false }, systemClock);
    await backup(config, { dataDir: between, file: second, force: false }, systemClock);
    await restore("embedded", { dataDir: target, file: second, force: false }, systemClock);
    expect(await content("embedded", target)).toEqual(EXPECTED);
    await restore(config, { dataDir: between, file: second, force: true }, systemClock);
  });

  it("when a process has run for longer than two leases and its record is old, then its beats still refuse the restore (U5)", async () => {
    const [config, dir] = [await natsConfig(), folder()];
    const { bus } = await opened(config, dir);
    await bus.consume(counted(), { durable: "worker", concurrency: 1 }, async () => ack);
    const file = join(dir, "backup.mooring");
    await backup(config, { dataDir: dir, file, force: false }, systemClock);
    const nc = await connect({ servers: config.nats.servers });
    undo.push(() => nc.close());
    const members = await nc.jetstream().views.kv("mooring_bus_members", { bindOnly: true });
    await eventually(async () => {
      for await (const key of await members.keys()) {
        const record = await members.get(key);
        expect(Date.now() - (record?.created.getTime() ?? Date.now())).toBeGreaterThan(2 * config.nats.leaseMs);
      }
    });
    const options = { dataDir: dir, file, force: true };
    await expect(restore(config, options, systemClock)).rejects.toThrow("stop them first");
  });

  it("when a process of the target runs, or it has data, then the restore is refused and says what to do (U5)", async () => {
    const [source, config] = [folder(), await natsConfig()];
    await filled("embedded", source);
    const file = join(source, "copy.db");
    await backup("embedded", { dataDir: source, file, force: false }, systemClock);
    const running = await opened(config, source);
    await running.bus.consume(counted(), { durable: "quick", concurrency: 1 }, async () => ack);
    await eventually(() => expect(running.health()).toEqual({ ok: true }));
    const options = { dataDir: source, file };
    await expect(restore(config, { ...options, force: true }, systemClock)).rejects.toThrow("stop them first");
    const final = { ...options, file: join(source, "other.db"), force: false, isFinal: true };
    await expect(backup(config, final, systemClock)).rejects.toThrow("stop them first");
    await running.close();
    await eventually(() =>
      expect(restore(config, { ...options, force: false }, systemClock)).rejects.toThrow("use --force to delete it"),
    );
    await restore(config, { ...options, force: true }, systemClock);
    expect(await content(config, source)).toEqual(EXPECTED);
  });
});

describe("given a NATS server that cannot be copied", () => {
  it("when nothing is stored under the prefix, then the backup says what to check, and leaves no file (U5)", async () => {
    const [config, dir] = [await natsConfig(), folder()];
    const options = { dataDir: dir, file: join(dir, "copy.db"), force: false };
    await expect(backup(config, options, systemClock)).rejects.toThrow(
      'no data with the prefix "mooring": check nats.servers and nats.prefix',
    );
    expect(readdirSync(dir)).toEqual([]);
  });

  it("when the user may not write the marker of the cut, then the backup names the missing permission (U5)", async () => {
    const dir = folder();
    const file = join(dir, "nats.conf");
    const limited = { user: "reader", password: "p", permissions: { publish: { allow: ">", deny: "$KV.*.backup" } } };
    const users = JSON.stringify([limited, { user: "core", password: "p" }]);
    writeFileSync(file, `jetstream { store_dir: "./js" }\nauthorization { users: ${users} }\n`);
    const server = await NatsServer.start({ configFile: file });
    undo.push(() => server.stop());
    const { nats } = configOf(server);
    const as = (user: string) => ({ nats: { ...nats, user, password: new Secret("p") } });
    const { store } = await opened(as("core"), dir);
    await store.put(keyOf(ones, "a"), { n: 1 });
    const options = { dataDir: dir, file: join(dir, "copy.db"), force: false };
    await expect(backup(as("reader"), options, systemClock)).rejects.toThrow(/NATS denies it .*grant the permission/);
  });
});

/** Above the largest process id that Linux assigns. */
const DEAD_PID = 5_000_000;
const RUNS = process.env.MOORING_SOAK ? 30 : 4;
