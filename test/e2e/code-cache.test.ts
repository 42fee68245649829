import { cp, readdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebClient } from "../fakes/web-client.ts";
import { Deployment, plainConfig } from "./deployment.ts";
import { MAIN, requireFreshBuild, startMooring } from "./mooring-process.ts";

beforeAll(requireFreshBuild);

let deployment: Deployment;
afterEach(() => deployment.dispose());

/** A copy of the build that has never run. */
const freshInstallation = async (): Promise<{ main: string; entries(): Promise<string[]> }> => {
  const dist = join(deployment.folder, "dist");
  await cp(dirname(MAIN), dist, { recursive: true, filter: (file) => !/\.map$|\/dist\/(compiled|test)$/.test(file) });
  await symlink(join(dirname(MAIN), "../node_modules"), join(deployment.folder, "node_modules"));
  const files = () => readdir(join(dist, "compiled"), { recursive: true }).catch(() => []);
  return {
    main: join(dist, "mooring.js"),
    entries: async () => (await files()).filter((file) => file.includes(".cjs-")).toSorted(),
  };
};

describe("given an installation that has never run", () => {
  it("when a server stops, then it leaves the code cache that the next start uses (U2)", async () => {
    deployment = await Deployment.create(plainConfig());
    const { main, entries } = await freshInstallation();
    const run = async () => {
      const mooring = startMooring(["start", "--config", "mooring.yaml"], { cwd: deployment.folder, main });
      const address = await mooring.running;
      const client = deployment.with(new WebClient("visitor", () => address));
      await client.answerTo(client.say("hello there"));
      client.close();
      mooring.kill("SIGTERM");
      expect(await mooring.exited).toEqual({ code: 0, signal: null });
    };
    await run();
    const written = await entries();
    expect(written.length).toBeGreaterThan(20);
    await run();
    expect(await entries(), "all were found").toEqual(written);
  });

  it("when another command runs, then it writes nothing", async () => {
    deployment = await Deployment.create(plainConfig());
    const { main, entries } = await freshInstallation();
    const check = startMooring(["check", "--config", "mooring.yaml"], { cwd: deployment.folder, main });
    expect((await check.exited).code).toBe(0);
    expect(await entries()).toEqual([]);
  });
});
