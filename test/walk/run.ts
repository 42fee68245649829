import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startMooring } from "../e2e/mooring-process.ts";
import { says } from "../fakes/model-answer.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { freePort } from "../setup/free-port.ts";
import { projectRoot } from "../setup/project-files.ts";
import { PreciseCoverage } from "./precise-coverage.ts";

/**
 * Prints the source files with functions that run between a Slack message and its answer, less those that run while
 * the product is idle. `npm run walk -- FOLDER` measures another checkout.
 */
const IDLE_MS = 4_000;
const root = `${resolve(process.argv[2] ?? projectRoot)}/`;
const folder = await mkdtemp(join(tmpdir(), "mooring-walk-"));
const slack = await FakeSlack.start();
const model = await ScriptedModelServer.start(() => says("Nine metres."));
const port = await freePort();
const { apiUrl, signingSecret, botToken } = slack;
const config = {
  gateway: { host: "127.0.0.1", port, drainMs: 0 },
  backbone: "embedded",
  dataDir: "./data",
  agents: [{ name: "mooring", model: { provider: "openai-compatible", baseUrl: model.baseUrl, model: "scripted" } }],
  channels: { slack: { adapter: "slack", botToken, apiUrl, signingSecret } },
};
await writeFile(join(folder, "mooring.yaml"), JSON.stringify(config));
const mooring = startMooring(["start", "--config", "mooring.yaml"], {
  cwd: folder,
  nodeArgs: ["--inspect=127.0.0.1:0", "--import", `${root}node_modules/tsx/dist/loader.mjs`],
  main: `${root}gateway/cli/main.ts`,
});
try {
  await mooring.running;
  const coverage = await PreciseCoverage.connect(/Debugger listening on (\S+)/.exec(mooring.stderr())?.[1] ?? "");
  slack.sendEventsTo(`http://127.0.0.1:${port}/channels/slack/events`);
  const ask = async (): Promise<void> => {
    const before = slack.posted.length;
    await slack.say({ text: "How deep is it?", user: "U0ANN" });
    await slack.until((posted) => posted.length > before);
    await delay(500);
  };
  await ask();
  await coverage.filesSince(root);
  await delay(IDLE_MS);
  const idle = await coverage.filesSince(root);
  await ask();
  const walked = await coverage.filesSince(root);
  const walk = [...walked].filter((path) => !idle.has(path) && !path.startsWith("node_modules/")).sort();
  coverage.close();
  console.log(walk.join("\n"));
  console.log(`${walk.length} files in ${new Set(walk.map((path) => dirname(path))).size} folders`);
} finally {
  mooring.kill("SIGKILL");
  await mooring.exited;
  await Promise.all([slack.stop(), model.stop()]);
  await rm(folder, { recursive: true, force: true });
}
