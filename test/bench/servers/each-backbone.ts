import { NatsServer } from "../../fakes/nats-server.ts";
import { ServerProcess } from "./server-process.ts";

export interface Ground {
  readonly on: "embedded" | "nats";
  /** A server on a separate backbone; its first argument is the NATS address, if it is NATS. */
  start(name: string, ...args: string[]): Promise<ServerProcess>;
}

/** One backbone after the other, or the first only; all servers on it are stopped before the next. */
export async function* eachBackbone({ firstOnly = false } = {}): AsyncGenerator<Ground> {
  for (const on of firstOnly ? (["embedded"] as const) : (["embedded", "nats"] as const)) {
    const started: { stop(): Promise<void> }[] = [];
    const start = async (name: string, ...args: string[]): Promise<ServerProcess> => {
      if (on === "embedded") return keep(await ServerProcess.start(name, ...args));
      const nats = keep(await NatsServer.start());
      return keep(await ServerProcess.start(name, nats.url, ...args));
    };
    const keep = <T extends { stop(): Promise<void> }>(server: T): T => {
      started.unshift(server);
      return server;
    };
    try {
      yield { on, start };
    } finally {
      for (const server of started) await server.stop();
    }
  }
}
