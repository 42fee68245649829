import { connect, headers, type MsgHdrs } from "nats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATA_FORMAT } from "../../../../../core/backbone/data-format.ts";
import { messageHeaders } from "../../../../../core/backbone/nats/wire/jetstream-requests.ts";
import { NatsServer } from "../../../../fakes/nats-server.ts";

const VALUES = {
  "Nats-Msg-Id": "default.user.message/m-1",
  "Nats-Expected-Last-Subject-Sequence": "0",
  "Mooring-Key": "a b:c",
};

let server: NatsServer;
beforeAll(async () => {
  server = await NatsServer.start();
});
afterAll(() => server.stop());

const linesOf = (made: MsgHdrs): string[] => String(made).split("\r\n").sort();

describe("given headers that skip the client's checks", () => {
  it("when they are encoded, then they equal the client's encoding", () => {
    const theirs = headers();
    for (const [name, value] of Object.entries(VALUES)) theirs.set(name, value);
    theirs.set("Mooring-Format", String(DATA_FORMAT));
    const ours = messageHeaders(...Object.entries(VALUES), ["Mooring-Lineage", undefined]);
    expect(linesOf(ours)).toEqual(linesOf(theirs));
  });

  it("when they are sent, then the receiver reads them", async () => {
    const connection = await connect({ servers: server.url });
    const received = connection.subscribe("here", { max: 1 });
    connection.publish("here", "", { headers: messageHeaders(...Object.entries(VALUES)) });
    for await (const { headers: got } of received) {
      for (const [name, value] of Object.entries(VALUES)) expect(got?.get(name)).toBe(value);
    }
    await connection.close();
  });
});
