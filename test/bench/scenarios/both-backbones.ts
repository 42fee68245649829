import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { natsHarnessAsShipped } from "../../contract/nats-harness.ts";
import { NatsServer } from "../../fakes/nats-server.ts";
import { embeddedFloor } from "../floors/embedded-floor.ts";
import type { Floor } from "../floors/floor.ts";
import { natsFloor } from "../floors/nats-floor.ts";

export interface Rig {
  readonly name: string;
  readonly backbone: Backbone;
  readonly floor: Floor;
}

/** Product and floor, on one backbone after the other; everything is stopped in between. */
export async function* bothBackbones(): AsyncGenerator<Rig> {
  const embedded = await embeddedHarness.deploy();
  const bare = await embeddedFloor();
  yield { name: "embedded", backbone: await embedded.open(), floor: bare };
  await bare.close();
  await embedded.dispose();

  const nats = await natsHarnessAsShipped.deploy();
  const server = await NatsServer.start();
  const client = await natsFloor(server.url);
  yield { name: "nats", backbone: await nats.open(), floor: client };
  await client.close();
  await server.stop();
  await nats.dispose();
}
