import type { Anchor } from "../../../core/contract/anchor.ts";
import { relativeTime } from "../../../core/contract/relative-time.ts";
import { element } from "./dom.ts";

/** What was asked, where and when, above an answer that nobody waits for. Its time is kept fresh by `tickTimes`. */
export const drawAnchor = (anchor: Anchor): HTMLElement => {
  const started = new Date(anchor.startedAt);
  const time = element("time", { datetime: anchor.startedAt, title: started.toLocaleString() });
  const made = element("p", { class: "anchor" }, ...linesOf(anchor, started), time);
  tickTimes(made);
  return made;
};

/** As the text form has them: a schedule and a caller are named, and nobody asked. */
const linesOf = (anchor: Anchor, started: Date): (Node | string)[] => {
  const { channel, summary } = anchor;
  if (channel === "scheduled") return ["scheduled · ", linked(summary, anchor), " · "];
  if (channel === "a2a-inbound") return [linked(summary, anchor), " · "];
  const when = `started ${clockTime(started)} from ${channel} · `;
  return [linked(`↳ Re: “${summary}”`, anchor), element("br"), when];
};

const linked = (text: string, { link }: Anchor): HTMLElement =>
  link !== undefined && /^https?:\/\//.test(link)
    ? element("a", { href: link, target: "_blank", rel: "noopener noreferrer", dir: "auto" }, text)
    : element("bdi", {}, text);

/** Writes every <time> below the node anew. */
export const tickTimes = (root: ParentNode): void => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const time of root.querySelectorAll("time")) {
    time.textContent = relativeTime(Date.parse(time.dateTime), Date.now(), { locale: navigator.language, timeZone });
  }
};

const clockTime = (date: Date): string => {
  const isToday = date.toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: "short" }
    : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(navigator.language, format).format(date);
};
