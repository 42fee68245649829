import { connect } from "nats";
import { groupName } from "../../../../../core/backbone/nats/nats-names.ts";
import { decodePartition } from "../../../../../core/backbone/nats/partitions/index.ts";
import { numbers } from "./samples.ts";

/** The number of partitions of the durable "shared" by owner, from the records on the server. */
export const owners = async (url: string, partitions = 32): Promise<Map<string, number>> => {
  const nc = await connect({ servers: [url] });
  try {
    const bucket = await nc.jetstream().views.kv("mooring_bus_partitions", { bindOnly: true });
    const group = groupName("shared", numbers("shared"));
    const keys = Array.from({ length: partitions }, (_, partition) => `${group}.${partition}`);
    const records = await Promise.all(keys.map((key) => bucket.get(key)));
    const counts = new Map<string, number>();
    for (const record of records) {
      const owner = record && decodePartition(record.value).owner;
      if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return counts;
  } finally {
    await nc.close();
  }
};

/** The shares in ascending order. */
export const shares = async (url: string, partitions = 32): Promise<number[]> =>
  [...(await owners(url, partitions)).values()].sort((a, b) => a - b);
