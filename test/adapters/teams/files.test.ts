import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { failureOf } from "../../contract/channel/contract-rig.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();
const file = (url: unknown) => ({ id: "1", name: "plan.pdf", mediaType: "application/pdf", url });
const pictureAt = (path: string) => `${use.teams.serviceUrl}v3/${path}`;
const fetched = async (url: string) => Buffer.from(await use.adapter.fetchAttachment(file(url), 100)).toString();

describe("given attachments of people", () => {
  it("when they are fetched, then requests for pictures have the bot's token and those for files do not", async () => {
    const picture = pictureAt("attachments/1/views/original");
    use.teams.files.set(new URL(picture).pathname, Buffer.from("picture"));
    use.teams.files.set("/files/plan", Buffer.from("plan"));
    expect(await fetched(picture)).toBe("picture");
    expect(await fetched(`${use.teams.origin}/files/plan`)).toBe("plan");
  });

  it("when Teams rejects the bot's token, then the next attempt has a new one", async () => {
    const picture = pictureAt("attachments/1/views/original");
    use.teams.files.set(new URL(picture).pathname, Buffer.from("picture"));
    await fetched(picture);
    use.teams.signIn.revokeAll();
    expect(await failureOf(fetched(picture))).toHaveProperty("code", "unavailable");
    expect(await fetched(picture)).toBe("picture");
  });

  it.each<[string, () => unknown, string]>([
    ["too large", () => `${use.teams.origin}/files/plan`, "too-large"],
    ["deleted", () => `${use.teams.origin}/files/other`, "not-found"],
    ["on another host", () => "https://evil.example/plan", "forbidden"],
    ["on a host with an allowed prefix", () => `${use.teams.origin}.evil.example/plan`, "forbidden"],
    ["a local file", () => "file:///etc/passwd", "forbidden"],
    ["without an address", () => undefined, "not-found"],
  ])("when the file is %s, then the error says so", async (_, url, code) => {
    use.teams.files.set("/files/plan", Buffer.alloc(1_000));
    const failure = await failureOf(use.adapter.fetchAttachment(file(url()), 100));
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toHaveProperty("code", code);
  });

  it.each([
    "conversations/a:chat-with-ann/members",
    "conversations/a:1/activities",
    "attachments/1",
    "attachments/../conversations/views/original",
    "attachments/1%2F..%2F..%2Fconversations/views/original",
    "attachments/1/views/original/../../../../conversations",
  ])("when its address is %s in Teams, then the bot's token is not sent", async (path) => {
    await use.start({ fileHosts: [] });
    use.teams.files.set(new URL(pictureAt(path)).pathname, Buffer.from("secret"));
    expect(await failureOf(fetched(pictureAt(path)))).toHaveProperty("code", "forbidden");
    expect(use.teams.requests).toEqual([]);
  });

  it("when the download stalls, then it times out", async () => {
    use.teams.files.set("/files/plan", "stalled");
    await use.start({}, { clock: { ...systemClock, after: (_, callback) => systemClock.after(100, callback) } });
    const failure = await failureOf(fetched(`${use.teams.origin}/files/plan`));
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ code: "unavailable", message: expect.stringContaining("timed out") });
  });
});
