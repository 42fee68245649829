import { beforeEach, describe, expect, it } from "vitest";
import { LiveEdits } from "../../../../gateway/relay/sending/stream-draft.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

interface Message {
  readonly name: string;
}

let clock: ManualClock;
let edited: string[];
let pauseMs: number;
let edits: LiveEdits<Message>;
const [a, b, c] = ["a", "b", "c"].map((name) => ({ name })) as [Message, Message, Message];

beforeEach(() => {
  clock = new ManualClock();
  edited = [];
  pauseMs = 0;
  edits = new LiveEdits({
    clock,
    messageEveryMs: ({ name }) => (name === "slow" ? 5_000 : 1_000),
    channelEveryMs: 300,
    edit: async ({ name }) => {
      edited.push(`${name} ${clock.monotonic()}`);
      return pauseMs;
    },
  });
});

/** Advances time in small steps, so that the effects of an edit happen in between. */
const pass = async (ms: number, meanwhile = () => {}) => {
  for (let passed = 0; passed < ms; passed += 50) {
    meanwhile();
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe("given several streamed messages (D8)", () => {
  it("when several need an edit, then the channel's rate limit applies to all of them together", async () => {
    for (const message of [a, b, c]) edits.want(message);
    await pass(2_000);
    expect(edited).toEqual(["a 0", "b 300", "c 600"]);
  });

  it("when one needs edits all the time, then it gets them at the message's rate, and the others get theirs", async () => {
    await pass(500, () => edits.want(a));
    edits.want(b);
    await pass(1_600, () => edits.want(a));
    expect(edited).toEqual(["a 0", "b 500", "a 1000", "a 2000"]);
  });

  it("when the platform sends Retry-After, then nothing is edited meanwhile", async () => {
    pauseMs = 5_000;
    edits.want(a);
    await pass(100);
    edits.want(b);
    await pass(4_800);
    expect(edited).toEqual(["a 0"]);
    await pass(300);
    expect(edited).toHaveLength(2);
  });

  it("when one has ended, then it is not edited again, and the others continue", async () => {
    edits.want(a);
    await pass(50);
    edits.want(a);
    edits.want(b);
    await edits.end(a);
    await pass(3_000);
    expect(edited).toEqual(["a 0", "b 300"]);
  });
});
