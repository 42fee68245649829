import type { Anchor } from "../../../core/contract/anchor.ts";
import { relativeTime } from "../../../core/contract/relative-time.ts";
import { element } from "./dom.ts";

/** What was asked, where and when, above an answer that nobody waits for. Its time is kept fresh by `tickTimes`. */
export const drawAnchor = (anchor: Anchor): HTMLElement => {
  const started = new Date(anchor.startedAt);
  const time = element("time", { datetime: anchor.startedAt, title: started.toLocaleString() });
  const where = WITHOUT_PLACE.has(anchor.channel)
    ? anchor.channel.replace("a2a-inbound", "another agent")
    : `from ${anchor.channel}`;
  const summary = `↳ Re: “${anchor.summary}”`;
  const link = anchor.link !== undefined && /^https?:\/\//.test(anchor.link) ? anchor.link : undefined;
  const made = element(
    "p",
    { class: "anchor" },
    link
      ? element("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, summary)
      : element("span", {}, summary),
    element("br"),
    `started ${clockTime(started)} ${where} · `,
    time,
  );
  tickTimes(made);
  return made;
};

/** Writes every <time> below the node anew. */
export const tickTimes = (root: ParentNode): void => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const time of root.querySelectorAll("time")) {
    time.textContent = relativeTime(Date.parse(time.dateTime), Date.now(), { locale: navigator.language, timeZone });
  }
};

const WITHOUT_PLACE = new Set(["scheduled", "a2a-inbound"]);

const clockTime = (date: Date): string => {
  const isToday = date.toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: "short" }
    : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(navigator.language, format).format(date);
};
