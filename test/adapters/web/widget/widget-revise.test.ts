import { describe, expect, it } from "vitest";
import type { PersonMessage } from "../../../../core/contract/messages/user-message.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebGateway } from "../web-gateway.ts";
import { WidgetInBrowser } from "./widget-in-browser.ts";

const start = runningGateways();
const widget = new WidgetInBrowser();

/** The text of each visible bubble, oldest first. */
const shown = async () => (await widget.page.locator(".log .bubble").allTextContents()).map((text) => text.trim());

const answer = async (gateway: WebGateway, nth: number, markdown: string): Promise<void> => {
  const { id, conversation } = await widget.arrived(gateway, nth);
  const reply = { correlationId: id, markdown, createdAt: new Date().toISOString() };
  await gateway.adapter.deliver(makeDelivery(conversation.room, `r${nth}`, { reply }));
  await widget.page.locator(".log .reply", { hasText: markdown }).waitFor();
};

/** A conversation with two messages and their answers. */
const twoAnswers = async (): Promise<WebGateway> => {
  const gateway = await start();
  await widget.open(gateway);
  await widget.write("high water?");
  await answer(gateway, 1, "At noon.");
  await widget.write("and low water?");
  await answer(gateway, 2, "At six.");
  return gateway;
};

describe("given an answered conversation in the widget (C5)", () => {
  it("when a person edits a message, then the new version replaces it and all after it, and both versions can be read", async () => {
    const gateway = await twoAnswers();
    await widget.page.locator(".said", { hasText: "high water?" }).hover();
    await widget.page.getByRole("button", { name: "Edit" }).first().click();
    await expect.poll(() => widget.page.getByLabel("Your message").inputValue()).toBe("high water?");
    await widget.write("high water tomorrow?");
    const revised = (await widget.arrived(gateway, 3)) as PersonMessage;
    const [first] = gateway.accepted;
    expect(revised).toMatchObject({ text: "high water tomorrow?", revises: first?.id });
    await answer(gateway, 3, "At one.");
    expect(await shown()).toEqual(["high water tomorrow?", "At one."]);
    await widget.page.getByText("Version 2 of 2").waitFor({ state: "attached" });
    await widget.page.getByRole("button", { name: "Earlier version" }).click();
    await expect.poll(shown).toEqual(["high water?", "At noon.", "and low water?", "At six."]);
    await widget.page.getByRole("button", { name: "Go to the newest" }).click();
    await expect.poll(shown).toEqual(["high water tomorrow?", "At one."]);
    await widget.open(gateway);
    await expect.poll(shown).toEqual(["high water tomorrow?", "At one."]);
  });

  it("when a person wants another answer, then the same message is sent again, and the answers are versions", async () => {
    const gateway = await twoAnswers();
    await widget.page.locator(".reply", { hasText: "At six." }).hover();
    await widget.page.getByRole("button", { name: "Answer again" }).click();
    const again = (await widget.arrived(gateway, 3)) as PersonMessage;
    expect(again).toMatchObject({ text: "and low water?", revises: gateway.accepted[1]?.id });
    await answer(gateway, 3, "At a quarter past six.");
    expect(await shown()).toEqual(["high water?", "At noon.", "and low water?", "At a quarter past six."]);
    await widget.page.getByRole("button", { name: "Earlier version" }).click();
    await expect.poll(shown).toEqual(["high water?", "At noon.", "and low water?", "At six."]);
    await expect.poll(() => widget.page.getByRole("button", { name: "Answer again" }).count()).toBe(0);
    await widget.page.getByRole("button", { name: "Later version" }).click();
    await widget.page.getByRole("button", { name: "Answer again" }).waitFor({ state: "attached" });
  });

  it("when ArrowUp is pressed in the empty input, then the last message is edited; Escape brings the draft back", async () => {
    const gateway = await twoAnswers();
    const input = widget.page.getByLabel("Your message");
    await input.press("ArrowUp");
    await widget.page.getByText("Editing replaces").waitFor();
    await expect.poll(() => input.inputValue()).toBe("and low water?");
    await input.press("Escape");
    await expect.poll(() => input.inputValue()).toBe("");
    await widget.page.getByText("Editing replaces").waitFor({ state: "detached" });
    await expect.poll(() => input.isVisible()).toBe(true);
    await input.fill("a draft");
    await input.press("ArrowUp");
    await expect.poll(() => input.inputValue()).toBe("a draft");
    await widget.page.locator(".said", { hasText: "and low water?" }).hover();
    await widget.page.getByRole("button", { name: "Edit" }).last().click();
    await expect.poll(() => input.inputValue()).toBe("and low water?");
    await input.fill("and low water on Friday?");
    await input.press("Enter");
    expect(await widget.arrived(gateway, 3)).toMatchObject({ revises: gateway.accepted[1]?.id });
    await expect.poll(() => input.inputValue()).toBe("a draft");
  });

  it("when the answer to a message still streams, then its edit stops it first", async () => {
    const gateway = await start();
    await widget.open(gateway);
    await widget.write("tell me everything");
    await widget.arrived(gateway, 1);
    await widget.page.getByRole("button", { name: "Stop the answer" }).waitFor();
    await widget.page.getByLabel("Your message").press("ArrowUp");
    await widget.write("tell me one thing");
    await widget.arrived(gateway, 3);
    expect(gateway.accepted.slice(1)).toMatchObject([
      { command: { name: "cancel", args: "answer" } },
      { text: "tell me one thing", revises: gateway.accepted[0]?.id },
    ]);
  });
});
