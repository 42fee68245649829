import type { ServerInfo } from "nats";
import { type AppError, messageOf } from "../../../contract/app-error.ts";
import { openSession } from "../connection/dial-nats.ts";
import type { NatsOptions } from "../connection/nats-options.ts";

export interface AnsweringNode {
  readonly name: string;
  /** "host:port", as a client reaches it. */
  readonly address: string;
  readonly version: string;
}

export interface SilentNode {
  readonly address: string;
  readonly reason: string;
}

export interface AskedNodes {
  readonly answering: readonly AnsweringNode[];
  readonly silent: readonly SilentNode[];
  /** Absent: no node is part of a cluster. */
  readonly cluster: string | undefined;
}

type Answer = { server: string; info: ServerInfo } | { server: string; error: AppError };

/**
 * Connects to each configured server and to the cluster members that they advertise. Rejects if none answers, or if one
 * refuses the credentials.
 */
export const askNodes = async (options: NatsOptions): Promise<AskedNodes> => {
  const configured = await Promise.all(options.servers.map((server) => ask(options, server)));
  const asked = new Set(configured.map(({ server }) => addressOf(server)));
  const advertised = new Set(
    configured
      .flatMap((answer) => ("info" in answer ? (answer.info.connect_urls ?? []) : []))
      .filter((url) => !asked.has(addressOf(url))),
  );
  const scheme = options.servers[0]?.startsWith("tls:") ? "tls" : "nats";
  const others = await Promise.all(
    [...advertised].slice(0, MAX_ADVERTISED).map((url) => ask(options, `${scheme}://${url}`)),
  );

  const failed = configured.flatMap((answer) => ("error" in answer ? [answer] : []));
  const refused = failed.find(({ error }) => error.code === "bad-configuration");
  if (refused) throw refused.error;
  const answering = new Map<string, AnsweringNode>();
  let cluster: string | undefined;
  for (const answer of [...configured, ...others]) {
    if (!("info" in answer)) continue;
    const { server_id, server_name, version } = answer.info;
    cluster ??= answer.info.cluster;
    // A server with several addresses advertises each one.
    if (!answering.has(server_id)) {
      answering.set(server_id, { name: server_name, address: addressOf(answer.server), version });
    }
  }
  if (answering.size === 0 && failed[0]) throw failed[0].error;
  return {
    answering: [...answering.values()],
    // Advertised addresses may be private to the cluster, so only configured servers count as silent.
    silent: failed.map(({ server, error }) => ({ address: addressOf(server), reason: messageOf(error.cause) })),
    cluster,
  };
};

const ask = async (options: NatsOptions, server: string): Promise<Answer> => {
  try {
    const { nc } = await openSession({ ...options, servers: [server] });
    const { info } = nc;
    await nc.close();
    if (info) return { server, info };
    throw new Error("no INFO");
  } catch (error) {
    return { server, error: error as AppError };
  }
};

const addressOf = (server: string): string => server.replace(/^\w+:\/\//, "").replace(/\/$/, "");

const MAX_ADVERTISED = 16;
