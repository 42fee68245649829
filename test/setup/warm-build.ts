import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Deployment, plainConfig } from "../e2e/deployment.ts";
import { MAIN } from "../e2e/mooring-process.ts";
import { NatsServer } from "../fakes/nats-server.ts";
import { WebClient } from "../fakes/web-client.ts";

/**
 * Fills the code cache of a new build, as the first run of an installation does, so that the starts of all tests are
 * cheap. Without a build there is nothing to do: the tests that need one say so.
 */
export const setup = async (): Promise<void> => {
  if (!existsSync(MAIN) || existsSync(join(dirname(MAIN), "compiled"))) return;
  await runOnce(plainConfig());
  const server = await NatsServer.start();
  try {
    await runOnce(plainConfig({ backbone: { nats: { servers: [server.url] } } }));
  } finally {
    await server.stop();
  }
};

const runOnce = async (config: object): Promise<void> => {
  const deployment = await Deployment.create(config);
  try {
    const mooring = deployment.run("start");
    const address = await mooring.running;
    const client = deployment.with(new WebClient("visitor", () => address));
    await client.answerTo(client.say("hello"));
    mooring.kill("SIGTERM");
    await mooring.exited;
  } finally {
    await deployment.dispose();
  }
};
