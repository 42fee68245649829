import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAIN, requireFreshBuild } from "../e2e/mooring-process.ts";
import { Product, type StartedProcess } from "./product.ts";
import { RawVisitor } from "./settings/raw-visitor.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const personal = { owner: { name: "Ada" }, channels: { web: { adapter: "web" }, cli: { adapter: "web" } } };

/** Runs a command of the product, as the owner does on the gateway's machine. */
const run = async (args: readonly string[], lines = "", main = product.folder) => {
  const env = { PATH: process.env.PATH, HOME: product.folder };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: main, env });
  child.stdin.end(lines);
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await ended)[0] };
};

/** The token that the widget makes from a one-time link. */
const linkToken = (printed: string, browser = "browser-0123456789"): string =>
  `owner-link.${/#owner=([\w-]+)/.exec(printed)?.[1]}.${browser}`;

const refusalOf = async (address: string, channel: string, token?: string) => {
  const visitor = await RawVisitor.greet(address, channel, token === undefined ? {} : { token });
  const { code, message } = await visitor.first("error", "welcome");
  await visitor.stop();
  return { code, message };
};

const started = async (file = "start"): Promise<StartedProcess> => {
  const process = await product.start(file as "start");
  await process.running;
  return process;
};

describe.each(["embedded", "nats"] as const)("given the assistant of one person on %s", (backbone) => {
  it("when they start work in the terminal and leave it, then the browser shows the anchored answer, with nothing to link; others are kept out (I1)", async () => {
    product = await Product.create({ backbone, config: personal });
    const gateway = await started();
    const printed = gateway.stdout();
    expect((await stat(join(product.folder, "data/owner-secret"))).mode & 0o777).toBe(0o600);

    const typed = await run(["chat", "--config", "start-1.yaml"], "research lighthouses, tides and knots\n");
    expect(typed).toMatchObject({ code: 0, stderr: "" });

    // This browser opens the page for the first time.
    const owner = product.client("ada", gateway.address, linkToken(printed));
    const isAnswer = ({ anchor }: { anchor?: { channel: string } }) => anchor?.channel === "cli";
    await owner.until(() => owner.replies().some(isAnswer), "the answer to what was asked in the terminal");
    expect(owner.replies().find(isAnswer)).toMatchObject({
      anchor: { summary: "research lighthouses, tides and knots", text: expect.stringContaining("from CLI") },
    });

    // Neither an address nor a used link identifies anyone.
    for (const channel of ["web", "cli"]) {
      expect(await refusalOf(gateway.address, channel)).toMatchObject({
        code: "token-not-owner",
        message: expect.stringContaining("serves its owner only"),
      });
    }
    expect(await refusalOf(gateway.address, "web", linkToken(printed, "another-browser-01"))).toMatchObject({
      code: "token-link-used",
    });
    const forged = `owner.${Date.now() + 30_000}.${"A".repeat(43)}`;
    expect(await refusalOf(gateway.address, "cli", forged)).toMatchObject({ code: "token-not-owner" });
    const upload = await fetch(`${gateway.address}/channels/web/files?name=a.txt`, { method: "POST", body: "a" });
    expect(upload.status).toBe(401);
    expect((await fetch(`${gateway.address}/owner/links`, { method: "POST" })).status).toBe(401);

    const printedAgain = await run(["owner-link", "--config", "start-1.yaml"]);
    expect(printedAgain).toMatchObject({ code: 0, stderr: "" });
    const phone = product.client("phone", gateway.address, linkToken(printedAgain.stdout, "phone-0123456789"));
    await phone.until(() => phone.replies().some(isAnswer), "the same conversation on another device");
    expect(gateway.stderr()).not.toContain("#owner=");
  });
});

describe("given two gateways of one person's assistant", () => {
  it("when both get the same one-time link at once, then one browser wins, and its token counts on both (I1)", async () => {
    product = await Product.create({ backbone: "nats", config: personal });
    const [first, second] = [await started(), await started()];
    const [a, b] = await Promise.all(
      [first, second].map((gateway, index) =>
        RawVisitor.greet(gateway.address, "web", { token: linkToken(first.stdout(), `browser-${index}-0123456789`) }),
      ),
    );
    const answers = await Promise.all([a, b].map((visitor) => visitor?.first("welcome", "error")));
    expect(answers.map((frame) => frame?.code ?? "welcome").sort()).toEqual(["token-link-used", "welcome"]);
    const token = String(answers.find((frame) => frame?.type === "welcome")?.token);
    for (const { address } of [first, second]) {
      const visitor = await RawVisitor.greet(address, "web", { token });
      expect(await visitor.first("welcome", "error")).toMatchObject({ type: "welcome", conversation: "v1-owner" });
      await visitor.stop();
    }
    const typed = await run(["chat", "--config", "start-2.yaml"], "/status\n");
    expect(typed).toMatchObject({ code: 0, stderr: "" });
    for (const visitor of [a, b]) await visitor?.stop();
  });
});
