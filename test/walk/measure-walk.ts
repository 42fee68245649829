import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startMooring } from "../e2e/mooring-process.ts";
import { ScriptedModelServer } from "../fakes/scripted-model-server.ts";
import { FakeSlack } from "../fakes/slack/fake-slack.ts";
import { freePort } from "../setup/free-port.ts";
import { type CalledFunctions, PreciseCoverage } from "./precise-coverage.ts";
import type { Walk } from "./walks.ts";

/** Longer than the interval of every periodic report of a process. */
const IDLE_MS = 12_000;
/** For writes and signals that follow a posted answer. */
const SETTLE_MS = 500;
/** For edits of the activity entry, which the channel delays. */
const QUIET_MS = 3_000;

/**
 * The functions under `root` that run during a walk, without the files that run while the product is idle. The walk is
 * taken twice, by two people; the first time loads code and opens connections.
 */
export const measureWalk = async (walk: Walk, root: string): Promise<CalledFunctions> => {
  const folder = await mkdtemp(join(tmpdir(), "mooring-walk-"));
  const slack = await FakeSlack.start();
  const model = await ScriptedModelServer.start((request) => walk.answer(request));
  const port = await freePort();
  await writeFile(join(folder, "mooring.yaml"), JSON.stringify(configOf(walk, { slack, model, port })));
  const mooring = startMooring(["start", "--config", "mooring.yaml"], {
    cwd: folder,
    // A bundle has no source files to count.
    nodeArgs: ["--inspect=127.0.0.1:0", "--import", `${root}node_modules/tsx/dist/loader.mjs`],
    main: `${root}gateway/cli/main.ts`,
  });
  try {
    await mooring.running;
    const coverage = await PreciseCoverage.connect(/Debugger listening on (\S+)/.exec(mooring.stderr())?.[1] ?? "");
    slack.sendEventsTo(`http://127.0.0.1:${port}/channels/slack/events`);
    await walk.prepare(slack, "U0BOB");
    await walk.run(slack, "U0BOB");
    await delay(QUIET_MS);
    await coverage.calledSince(root);
    await delay(IDLE_MS);
    const idle = await coverage.calledSince(root);
    await walk.prepare(slack, "U0ANN");
    await delay(QUIET_MS);
    await coverage.calledSince(root);
    await walk.run(slack, "U0ANN");
    await delay(SETTLE_MS);
    const called = await coverage.calledSince(root);
    coverage.close();
    return new Map([...called].filter(([path]) => !idle.has(path) && !path.startsWith("node_modules/")).sort());
  } finally {
    mooring.kill("SIGKILL");
    await mooring.exited;
    await Promise.all([slack.stop(), model.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
};

interface Surroundings {
  readonly slack: FakeSlack;
  readonly model: ScriptedModelServer;
  readonly port: number;
}

const configOf = ({ agents }: Walk, { slack, model, port }: Surroundings): object => {
  const { apiUrl, signingSecret, botToken } = slack;
  // The model's name identifies the agent to the scripted server.
  const modelOf = (name: string) => ({ provider: "openai-compatible", baseUrl: model.baseUrl, model: name });
  return {
    gateway: { host: "127.0.0.1", port },
    backbone: "embedded",
    dataDir: "./data",
    tenants: { default: { a2aAsync: true } },
    agents: agents.map((agent) => ({ ...agent, model: modelOf("name" in agent ? String(agent.name) : "") })),
    channels: { slack: { adapter: "slack", agent: "mooring", botToken, apiUrl, signingSecret } },
  };
};
