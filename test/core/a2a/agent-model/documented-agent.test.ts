import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { freePort } from "../../../setup/free-port.ts";
import { projectRoot } from "../../../setup/project-files.ts";
import { CoreUnderTest } from "../../core-under-test.ts";
import { answeredBy, streamedTo } from "./agent-under-test.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

/** The agent of the page, on another port. */
const startDocumented = async (): Promise<string> => {
  const port = await freePort();
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(readFileSync(`${projectRoot}docs/models.md`, "utf8")) ?? [];
  const program = code.replaceAll("9000)", `${port}, () => console.log("listening"))`).replaceAll("9000", String(port));
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: projectRoot });
  cleanUp.push(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
  return `http://localhost:${port}`;
};

it("given the agent of the documentation, when a person writes, then it answers as the page says (T6)", async () => {
  const url = await startDocumented();
  const core = await CoreUnderTest.start([], { agent: { model: answeredBy(url) } });
  cleanUp.push(() => core.dispose());
  expect((await core.ask("m-1", "hello there")).markdown).toBe("You said: hello there");
  expect(streamedTo({ core }, "m-1")).toMatch(/^You /);
  expect((await core.ask("m-2", "again")).markdown).toBe("You said: again");
});
