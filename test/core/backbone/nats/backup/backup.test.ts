import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
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
import { NatsServer } from "../../../../fakes/nats-server.ts";
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
  const servers = [server.url];
  return { nats: { servers, prefix: "mooring", replicas: 1, leaseMs: 500, partitions, inboxPrefix: "_INBOX" } };
};

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

/** Above the largest process id that Linux assigns. */
const DEAD_PID = 5_000_000;
const RUNS = process.env.MOORING_SOAK ? 30 : 4;
