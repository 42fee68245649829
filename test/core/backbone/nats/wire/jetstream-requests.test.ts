import { connect, headers } from "nats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("given headers that skip the client's checks", () => {
  it("when they are encoded, then they equal the client's encoding", () => {
    const theirs = headers();
    for (const [name, value] of Object.entries(VALUES)) theirs.set(name, value);
    expect(String(messageHeaders({ ...VALUES, "Mooring-Lineage": undefined }))).toBe(String(theirs));
  });

  it("when they are sent, then the receiver reads them", async () => {
    const connection = await connect({ servers: server.url });
    const received = connection.subscribe("here", { max: 1 });
    connection.publish("here", "", { headers: messageHeaders(VALUES) });
    for await (const { headers: got } of received) {
      for (const [name, value] of Object.entries(VALUES)) expect(got?.get(name)).toBe(value);
    }
    await connection.close();
  });
});
