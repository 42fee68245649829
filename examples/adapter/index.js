import { defineAdapter } from "mooring/adapter";
import { PaperConfig } from "./config.js";

// The configuration loads this file, also in processes that run no channel: it imports the adapter only when one is created.
export default defineAdapter({
  contract: 1,
  id: "paper",
  label: "Paper, the example platform",
  config: PaperConfig,
  questions: [
    {
      flag: "paper-url",
      message: "Paper: the address of the platform",
      setting: ["apiUrl"],
      example: "https://paper.example",
    },
    { flag: "paper-token", message: "Paper: the bot's token", setting: ["token"], env: "PAPER_TOKEN" },
    { flag: "paper-secret", message: "Paper: the signing secret", setting: ["signingSecret"], env: "PAPER_SECRET" },
  ],
  guide: "examples/adapter/README.md",
  async create(config, context) {
    const { PaperAdapter } = await import("./adapter.js");
    return new PaperAdapter(config, context);
  },
});
