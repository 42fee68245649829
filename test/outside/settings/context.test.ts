import { beforeAll, describe, expect, it } from "vitest";
import { calls, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { FAR_ZONE } from "./scheduled-run.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;

/** Passes the words of the person to the tool, and its result back to the person. */
const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  const [, when] = /^remind me (.+)$/.exec(lastUserText) ?? [];
  if (when === undefined || toolOutputs.length > 0) return says(toolOutputs.at(-1) ?? "hello");
  return calls([{ name: "schedule_task", arguments: { description: "tea", prompt: "say tea", when } }]);
};

const web = { adapter: "web", agent: "knows", identityKey: IDENTITY_KEY };

beforeAll(async () => {
  models = await rig.models();
  mooring = await rig.start({
    timeZone: FAR_ZONE,
    agents: [{ name: "knows", model: models.named("knows", answer) }],
    channels: { plain: web, zoned: { ...web, timeZone: "Asia/Tokyo" } },
  });
});

const contextOn = async (channel: string): Promise<string> => {
  const ada = mooring.client(channel, channel, visitorToken("ada"));
  await ada.answerTo(ada.say("hello"));
  return models.requests("knows").at(-1)?.context ?? "";
};

describe("given people whose time zone is unknown", () => {
  proves(
    ["timeZone"],
    "when they write, then the model gets the time of their channel, else of the configuration (M1)",
    async () => {
      expect(await contextOn("plain")).toContain(`time zone ${FAR_ZONE} (assumed`);
      expect(await contextOn("zoned")).toContain("time zone Asia/Tokyo (assumed");
      expect(await contextOn("zoned")).toContain(
        "Conversation: a private conversation on the channel zoned\nSpeaker: ",
      );
    },
  );
});

describe("given a person who sets a time zone and asks for reminders in their words", () => {
  it("when they write times in three languages, then the answers name the times of their own clock (M2)", async () => {
    const bea = mooring.client("plain", "plain", visitorToken("bea"));
    const answerTo = async (text: string) => (await bea.answerTo(bea.say(text))).markdown;
    expect(await answerTo("/timezone asia/kolkata")).toContain("Your time zone is Asia/Kolkata.");
    expect(await answerTo("hello")).toBe("hello");
    expect(models.requests("knows").at(-1)?.context).toContain("GMT+05:30, time zone Asia/Kolkata\n");
    for (const when of ["tomorrow at 9", "morgen um 9 Uhr", "mañana a las 9"]) {
      expect(await answerTo(`remind me ${when}`)).toMatch(/^Scheduled as .* once, on .*, 09:00 Asia\/Kolkata\.$/);
    }
    expect(await answerTo("remind me every weekday at 8")).toContain("every weekday at 08:00 Asia/Kolkata");
    expect(await answerTo("remind me tomorrow at 3")).toContain("can be 03:00 or 15:00 on ");
    expect(await answerTo("remind me yesterday at 10am")).toContain("has already passed: it is now ");
    expect(await answerTo("/schedules")).toContain("09:00 Asia/Kolkata");
  });
});
