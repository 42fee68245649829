const PATHS = {
  again: "M3 12a9 9 0 1 0 3-6.7L3 8m0-5v5h5",
  alert: "M12 8v5m0 3.5v.1M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  anchor: "M12 22V8M5 12H2a10 10 0 0 0 20 0h-3M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  back: "m15 6-6 6 6 6",
  branch: "m15 10 5 5-5 5M4 4v7a4 4 0 0 0 4 4h12",
  chat: "M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5z",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m9 6 6 6-6 6",
  clip: "m21 11-8.6 8.6a5.7 5.7 0 0 1-8-8L13 2.9a3.8 3.8 0 0 1 5.3 5.4l-8.5 8.5a1.9 1.9 0 0 1-2.7-2.7L15 6.3",
  clock: "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  close: "M18 6 6 18M6 6l12 12",
  compose: "M12 20h9M16.5 3.5a2.1 2.1 0 0 1 3 3L7 19l-4 1 1-4z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  down: "m6 9 6 6 6-6",
  file: "M14 2H6v20h12V6zm0 0v4h4",
  list: "M4 6h16M4 12h16M4 18h16",
  mic: "M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zm-7-3a7 7 0 0 0 14 0m-7 7v3",
  reply: "M9 14 4 9l5-5M4 9h10.5a5.5 5.5 0 0 1 0 11H11",
  "down-thumb": "M17 13V4h3v9zm0 0-4 8a2 2 0 0 1-2-2v-4H5a2 2 0 0 1-2-2.3l1.2-7a2 2 0 0 1 2-1.7H17",
  send: "M12 19V5m-7 7 7-7 7 7",
  stop: "M7 7h10v10H7z",
  trash: "M4 7h16M9 7V4h6v3m-9 0 1 13h10l1-13",
  "up-thumb": "M7 11v9H4v-9zm0 0 4-8a2 2 0 0 1 2 2v4h6a2 2 0 0 1 2 2.3l-1.2 7a2 2 0 0 1-2 1.7H7",
} as const;

export type IconName = keyof typeof PATHS;

/** A 24 × 24 icon, hidden from screen readers. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class={name === "stop" ? "icon solid" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
