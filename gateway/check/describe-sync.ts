import type { Finding } from "./finding.ts";

/** The setting decides whether a power cut loses confirmed messages. Servers do not report it to clients. */
export const describeSync = (versions: readonly string[]): Finding => {
  const subject = "sync setting";
  const old = versions.find((version) => !canSyncAlways(version));
  if (old !== undefined) {
    return {
      verdict: "note",
      subject,
      text: `NATS ${old} has none and writes to disk in the background: durability process-crash`,
      details: [
        "a power cut may lose the last two minutes;",
        'server 2.10 or later with "sync_interval: always" loses nothing (durability power-loss)',
      ],
    };
  }
  return {
    verdict: "note",
    subject,
    text: "NATS does not report it to clients: durability process-crash, or power-loss if it is always; on each server",
    details: [
      'look for "sync_interval: always" in the jetstream block of the configuration file,',
      'or, with a monitoring port, for "sync_always": true in http://SERVER:8222/varz',
    ],
  };
};

const canSyncAlways = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
};
