import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import type { KvBucket } from "./kv-bucket.ts";
import { isLostRace } from "./nats-fault.ts";
import type { NatsSession } from "./nats-session.ts";

const Layout = z.looseObject({ partitions: z.number().int() });

/** Processes that disagree on the number of partitions would run one key in two places: the first one's number counts. */
export const checkLayout = async (session: NatsSession, bucket: KvBucket, partitions: number): Promise<void> => {
  const found = (await bucket.readOn(session, LAYOUT_KEY)) ?? (await create(session, bucket, partitions));
  const layout = Layout.safeParse(JSON.parse(Buffer.from(found?.data ?? []).toString() || "null"));
  const there = layout.success ? layout.data.partitions : undefined;
  if (there === partitions) return;
  throw new AppError(
    "bad-configuration",
    `this NATS deployment has ${there ?? "an unknown number of"} partitions, not ${partitions}; ` +
      `configure ${there ?? "what it was made with"}, or use another prefix`,
  );
};

const create = async (session: NatsSession, bucket: KvBucket, partitions: number) => {
  try {
    await bucket.createOn(session, LAYOUT_KEY, Buffer.from(JSON.stringify({ partitions })));
  } catch (error) {
    if (!isLostRace(error)) throw error;
  }
  return bucket.readOn(session, LAYOUT_KEY);
};

/** No group has this name: a group's keys have two parts. */
const LAYOUT_KEY = "layout";
