import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { NatsServer } from "../../fakes/nats-server.ts";
import { post } from "../post.ts";
import type { Posted } from "../posting-crowd.ts";
import { ServerProcess } from "../servers/server-process.ts";

/** The times of one message, in milliseconds from when the person has written it. */
export interface AnswerTimes {
  /** Until the bot posted its answer. */
  readonly answerMs: number;
  /** Until the bot acknowledged the message; absent on a platform that waits for no acknowledgement. */
  readonly ackMs?: number;
}

/** A bot in a process of its own, on a local platform of its own. */
export interface Bot {
  readonly name: string;
  /** This person writes; resolves when the answer is posted and the message is acknowledged. */
  ask(person: number): Promise<AnswerTimes>;
  /** CPU milliseconds so far: of the process, and of its nats-server if it has one. */
  cpuMs(): Promise<number>;
  /** Deletes the messages of the local platform, whose cost grows with them. */
  tidy(): void;
  stop(): Promise<void>;
}

export interface Platform {
  readonly name: string;
  /** The product on both backbones comes first, then its peers. */
  readonly bots: readonly (() => Promise<Bot>)[];
}

/** The number of people, the largest number of messages in flight. */
export const PEOPLE = 256;

/** A slower answer counts with this time. */
const LOST_AFTER_MS = 60_000;

/** Waits for the bot's next message in a room. */
export class Answers {
  readonly #waiting = new Map<string, () => void>();

  noteIn(room: string): void {
    this.#waiting.get(room)?.();
  }

  /** Resolves to the time from `begun` to the answer. */
  in(room: string, begun: number): Promise<number> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(LOST_AFTER_MS), LOST_AFTER_MS);
      this.#waiting.set(room, () => {
        this.#waiting.delete(room);
        clearTimeout(late);
        resolve(performance.now() - begun);
      });
    });
  }
}

interface Webhook {
  readonly url: string;
  readonly answers: Answers;
  readonly messageBy: (person: number) => Posted;
  readonly roomOf: (person: number) => string;
}

/** `ask` for a platform that posts messages to the bot. */
export const askByPost = ({ url, answers, messageBy, roomOf }: Webhook): { ask: Bot["ask"]; leave(): void } => {
  // Shorter than the servers keep an idle connection open.
  const agent = new Agent({ keepAlive: true, maxSockets: PEOPLE, timeout: 3_000 });
  const ask = async (person: number): Promise<AnswerTimes> => {
    const { headers, body } = messageBy(person);
    const begun = performance.now();
    const answered = answers.in(roomOf(person), begun);
    await post(agent, url, headers, body);
    const ackMs = performance.now() - begun;
    return { answerMs: await answered, ackMs };
  };
  return { ask, leave: () => agent.destroy() };
};

/** The product, or another server, on the embedded backbone or with a nats-server of its own. */
export const startOn = async (
  backbone: "embedded" | "nats",
  server: string,
  ...args: string[]
): Promise<{ readonly port: number; cpuMs(): Promise<number>; stop(): Promise<void> }> => {
  const nats = backbone === "nats" ? await NatsServer.start() : undefined;
  const process = await ServerProcess.start(server, ...(nats ? [nats.url] : []), ...args);
  return {
    port: process.port,
    cpuMs: async () => (await process.ask("cpu")) + cpuOf(nats?.pid),
    async stop() {
      await process.stop();
      await nats?.stop();
    },
  };
};

const TICKS_PER_MS = 0.1;

/** CPU milliseconds of another process, from https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const cpuOf = (pid: number | undefined): number => {
  if (pid === undefined) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_MS;
};
