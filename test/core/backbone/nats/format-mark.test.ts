import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DATA_FORMAT } from "../../../../core/backbone/data-format.ts";
import { FormatMark } from "../../../../core/backbone/nats/format-mark.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

/** A members bucket and a layout in memory. */
class Deployment {
  layout: object | undefined = { partitions: 4, other: "kept" };
  members: (object | undefined)[] = [];
  scans = 0;

  readonly partitionsBucket = {
    read: async () => this.layout && { ...ENTRY, key: "layout", data: bytes(this.layout) },
    write: async (_key: string, data: Uint8Array, { ifRevision }: { ifRevision?: number } = {}) => {
      expect(ifRevision).toBe(ENTRY.revision);
      this.layout = JSON.parse(Buffer.from(data).toString()) as object;
      return 8;
    },
  };
  readonly membersBucket = {
    scan: async () => {
      this.scans++;
      return this.members.map((record) => ({
        ...ENTRY,
        key: "m",
        deleted: record === undefined,
        data: bytes(record ?? {}),
      }));
    },
  };
}
const ENTRY = { revision: 7, deleted: false, storedAt: 0, expiresAt: undefined, writeId: undefined, ancestry: [] };
const bytes = (value: object) => Buffer.from(JSON.stringify(value));
const OLD = { groups: [], beat: 1 };
const OWN = { groups: [], beat: 1, format: DATA_FORMAT };

let deployment: Deployment;
let clock: ManualClock;
let mark: FormatMark;
beforeEach(() => {
  deployment = new Deployment();
  clock = new ManualClock();
  mark = new FormatMark({
    ...(deployment as never as ConstructorParameters<typeof FormatMark>[0]),
    options: { clock, logger: silentLogger },
  });
});
afterEach(() => mark.stop());

/** Lets the clock run, with a pause for each check. */
const minutes = async (count: number) => {
  for (let passed = 0; passed < count * 2; passed++) {
    clock.advance(30_000);
    await new Promise(setImmediate);
  }
};

describe("given a deployment on NATS that an older version has written (U5)", () => {
  it("when no older process runs, then the format is stored at once, and the rest of the layout stays", async () => {
    deployment.members = [OWN, undefined];
    mark.start();
    await new Promise(setImmediate);
    expect(deployment.layout).toEqual({ partitions: 4, other: "kept", format: DATA_FORMAT });
  });

  it("when an older process runs, then the format is stored ten minutes after it was seen last", async () => {
    deployment.members = [OWN, OLD];
    mark.start();
    await minutes(30);
    expect(deployment.layout).not.toHaveProperty("format");
    deployment.members = [OWN];
    await minutes(9);
    expect(deployment.layout, "it may start again").not.toHaveProperty("format");
    await minutes(2);
    expect(deployment.layout).toHaveProperty("format", DATA_FORMAT);
    const { scans } = deployment;
    await minutes(5);
    expect(deployment.scans, "the check has ended").toBe(scans);
  });

  it("when a restore writes, then the format waits for its end", async () => {
    deployment.layout = { partitions: 4, restoring: true };
    mark.start();
    await minutes(1);
    expect(deployment.layout).toEqual({ partitions: 4, restoring: true });
    deployment.layout = { partitions: 4 };
    await minutes(1);
    expect(deployment.layout).toHaveProperty("format", DATA_FORMAT);
  });
});
