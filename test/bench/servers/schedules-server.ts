import { BackboneConfig } from "../../../core/backbone/config.ts";
import { openBackbone } from "../../../core/backbone/drivers.ts";
import { systemClock as clock, isoTime } from "../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import { DueIndex } from "../../../core/schedules/due-index.ts";
import { type Schedule, scheduleKey } from "../../../core/schedules/schedule-record.ts";
import { startCore } from "../../../core/start-core.ts";
import { whenHealthy } from "../../../gateway/backbone-health.ts";
import { instantModel } from "../instant-model.ts";
import { ownCpu, throughput } from "../measure.ts";
import { answerQuestions, memoryInUse } from "./answer-questions.ts";

/** A core with the schedules of its data; it can create more, and report their cost. */
const [dataDir = "", natsUrl, prefix] = process.argv.slice(2);
const config = BackboneConfig.parse(natsUrl ? { nats: { servers: [natsUrl], prefix } } : "embedded");
const backbone = await openBackbone(config, { dataDir, clock, logger });
await whenHealthy(backbone, clock, new AbortController().signal);
const dueTimes = new DueIndex(backbone);
const DAY_MS = 24 * 3_600_000;

let begun = 0;
let allBegun: () => void = () => undefined;
let awaited = 0;
const model = {
  ...instantModel,
  step: (...asked: Parameters<typeof instantModel.step>) => {
    if (++begun === awaited) allBegun();
    return instantModel.step(...asked);
  },
};
const agents = [{ name: "bench", tenant: "default", model }];
const core = await startCore({ backbone, agents, clock, logger, meter });

/** Each of another person, as if created in chat. */
const add = async (name: string, dueAt: number): Promise<void> => {
  const schedule: Schedule = {
    tenant: "default",
    agent: "bench",
    owner: `web/${name}`,
    id: "schedule-00000001",
    description: "Morning brief",
    prompt: "What is new since yesterday, in three sentences?",
    when: { kind: "every", everyMs: DAY_MS, from: isoTime(dueAt - DAY_MS), timeZone: "Europe/Berlin" },
    missed: "once",
    destination: { conversation: { channel: "web", room: name, kind: "private" } },
    asker: { personId: name, accountId: name, name },
    madeIn: "console",
    status: "active",
    nextDueAt: isoTime(dueAt),
    failures: 0,
    createdAt: isoTime(clock.now()),
  };
  await backbone.store.put(scheduleKey(schedule), schedule);
  await dueTimes.add({ schedule, dueAt: isoTime(dueAt) });
};

/** Schedules that are due within the next day, but not in its first half hour. */
const fill = async (count: string): Promise<number> => {
  const from = clock.now() + DAY_MS / 48;
  const between = (DAY_MS * 47) / 48 / Number(count);
  await throughput(Number(count), 500, (n) => add(`somebody-${n}`, Math.floor(from + n * between)));
  return 0;
};

/** Schedules that are due at the same moment: milliseconds until the last run has started. */
const burst = async (count: string): Promise<number> => {
  awaited = begun + Number(count);
  const done = new Promise<void>((resolve) => {
    allBegun = resolve;
  });
  const dueAt = clock.now() + 5_000;
  await throughput(Number(count), 100, (n) => add(`burst-${begun}-${n}`, dueAt));
  await done;
  return clock.now() - dueAt;
};

/** CPU milliseconds of some seconds in which no schedule is due. */
const idle = async (): Promise<number> => {
  const before = ownCpu();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return ownCpu() - before;
};

answerQuestions(0, { fill, burst, idle, memory: memoryInUse }, async () => {
  await core.stop();
  await backbone.close();
});
