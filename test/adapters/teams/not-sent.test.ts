import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { wasNeverSent } from "../../../adapters/teams/api/connect-timeout-agent.ts";
import { References } from "../../../adapters/teams/api/references.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { failureOf } from "../../contract/channel/contract-rig.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();
const target: Conversation = { channel: "teams", room: "19:sailors@thread.v2", kind: "shared" };
const deliver = () => use.adapter.deliver(sampleDelivery("r1", target, "an answer"));

describe("given an unreachable Teams", () => {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((closed) => (server ? server.close(closed) : closed(undefined)));
  });

  /** Another server at an https address. */
  const listen = async (connected: (socket: Socket) => void): Promise<string> => {
    const listening = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined));
      connected(socket);
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    return `https://127.0.0.1:${(listening.address() as AddressInfo).port}/emea`;
  };
  /** Shortens the connect timeout only, so that a slow machine does not abort whole calls. */
  const hurried: Clock = {
    ...systemClock,
    after: (ms, callback) => systemClock.after(ms <= 5_000 ? ms / 10 : ms, callback),
  };

  it.each<[string, (socket: Socket) => void]>([
    ["hangs up", (socket) => socket.destroy()],
    ["does not speak TLS", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["accepts the connection and sends nothing", () => undefined],
  ])("when the server %s, then certainly nothing was sent, and the answer waits (D5)", async (_, connected) => {
    const serviceUrl = await listen(connected);
    await use.start({ serviceUrls: [serviceUrl] }, { clock: hurried });
    await new References(use.store, "teams").storeRoom(target.room, { serviceUrl, kind: "groupChat" });
    expect(await failureOf(deliver())).toMatchObject({ reason: "unavailable" });
    expect(sockets.size).toBe(1);
  });

  it("when the call times out before there is a token, then nothing is sent, and the answer waits", async () => {
    let isOver: () => void = () => undefined;
    const clock: Clock = {
      ...systemClock,
      after: (_, callback) => {
        isOver = callback;
        return { cancel: () => undefined };
      },
    };
    await use.start({}, { clock });
    await use.conversation({ conversationType: "groupChat" });
    const gate = new Gate();
    use.teams.signIn.ready = gate.opened;
    const failure = failureOf(deliver());
    isOver();
    gate.release();
    expect(await failure).toMatchObject({ reason: "unavailable" });
    expect(use.teams.api.posts.items).toEqual([]);
  });
});

describe("given an error of a call", () => {
  it.each([
    ["connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED"],
    ["getaddrinfo ENOTFOUND smba.example", "ENOTFOUND"],
    ["getaddrinfo EAI_AGAIN smba.example", "EAI_AGAIN"],
    ["connect ENETUNREACH 192.0.2.1:443 - Local (0.0.0.0:0)", "ENETUNREACH"],
    ["connect EHOSTUNREACH 192.0.2.1:443", "EHOSTUNREACH"],
    ["connect ETIMEDOUT 192.0.2.1:443", "ETIMEDOUT"],
    ["", "ETIMEDOUT"],
    ["certificate has expired", "CERT_HAS_EXPIRED"],
    ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["unable to verify the first certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["Hostname/IP does not match certificate's altnames", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["Client network socket disconnected before secure TLS connection was established", "ECONNRESET"],
  ])("when it is %j (%s), then nothing was sent", (message, code) => {
    expect(wasNeverSent(Object.assign(new Error(message), { code }))).toBe(true);
  });

  it.each([
    ["socket hang up", "ECONNRESET"],
    ["read ECONNRESET", "ECONNRESET"],
    ["read ETIMEDOUT", "ETIMEDOUT"],
    ["read EHOSTUNREACH", "EHOSTUNREACH"],
    ["write EPIPE", "EPIPE"],
    ["The operation was aborted.", "ABORT_ERR"],
    ["something else", undefined],
  ])("when it is %j (%s), then Teams may have received it", (message, code) => {
    expect(wasNeverSent(Object.assign(new Error(message), code !== undefined && { code }))).toBe(false);
  });
});
