import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { says } from "../../fakes/model-answer.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";

/** A hook that refuses texts with "knife", and does not answer texts with "slow". */
class Hook {
  readonly received = new Recorder<{
    readonly token: string | undefined;
    readonly kind: string;
    readonly text: string;
  }>();
  readonly #server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { kind, text } = JSON.parse(body);
    this.received.add({ token: request.headers.authorization, kind, text });
    if (!text.includes("slow")) response.end(JSON.stringify({ allow: !text.includes("knife"), reason: "No weapons." }));
  });

  static async start(): Promise<Hook> {
    const hook = new Hook();
    await once(hook.#server.listen(0, "127.0.0.1"), "listening");
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const rig = new SettingsRig();
let models: ModelBoard;
let hook: Hook;
beforeAll(async () => {
  models = await rig.models();
  hook = rig.owns(await Hook.start());
});

/** Repeats the text that the person writes after "say". */
const started = async (moderation: object, folder?: string) => {
  const model = models.named("mooring", ({ lastUserText }) => says(lastUserText.replace(/^say .../, "here is a kni")));
  const mooring = await rig.start({ agents: [{ name: "mooring", model }], moderation }, folder ? { folder } : {});
  const visitor = mooring.client("visitor");
  const answerTo = async (text: string) => (await visitor.answerTo(visitor.say(text))).markdown;
  return { visitor, answerTo };
};

describe("given a moderation hook", () => {
  proves(
    ["moderation.url", "moderation.token", "moderation.messages", "moderation.answers"],
    "when messages or answers are checked, then those are refused and the others are not, with the token",
    async () => {
      const both = await started({ url: hook.url, token: "token-of-the-hook" });
      expect(await both.answerTo("buy a knife")).toBe("I may not answer this message. No weapons.");
      expect(await both.answerTo("say KNIfe")).toBe("I wrote an answer, but it was withheld. No weapons.");
      expect(await both.answerTo("hello")).toBe("hello");
      expect(JSON.stringify(both.visitor.log)).not.toContain("here is a");
      expect(hook.received.items.every(({ token }) => token === "Bearer token-of-the-hook")).toBe(true);

      const messages = await started({ url: hook.url, answers: false });
      expect(await messages.answerTo("say KNIfe")).toBe("here is a knife");
      expect(await messages.answerTo("buy a knife")).toContain("I may not answer");
      const answers = await started({ url: hook.url, messages: false });
      expect(await answers.answerTo("buy a knife")).toContain("withheld");
      expect(hook.received.items.at(-1)).toEqual({ token: undefined, kind: "answer", text: "buy a knife" });
    },
  );

  proves(
    ["moderation.timeoutMs", "moderation.onFailure"],
    "when the hook does not answer in time, then the text is refused, or allowed if that is set",
    async () => {
      const refusing = await started({ url: hook.url, timeoutMs: 200 });
      expect(await refusing.answerTo("slow")).toContain("I could not check this message");
      const allowing = await started({ url: hook.url, timeoutMs: 200, onFailure: "allow" });
      expect(await allowing.answerTo("slow")).toBe("slow");
    },
  );

  proves(
    ["moderation.module"],
    "when a module beside the configuration decides, then its decision counts",
    async () => {
      const folder = await rig.folder();
      await writeFile(
        join(folder, "moderation.mjs"),
        "export default ({ text }) => ({ allow: !text.includes('boat'), reason: 'No boats.' });",
      );
      const { answerTo } = await started({ module: "./moderation.mjs" }, folder);
      expect(await answerTo("a boat")).toBe("I may not answer this message. No boats.");
      expect(await answerTo("a car")).toBe("a car");
    },
  );
});
