import type { Setting } from "../../../config/index.ts";
import { channelQuestions, channels } from "./channel-questions.ts";
import { listed, type Question } from "./question.ts";

const model = (key: string) => ["agents", 0, "model", key] as const;
const isHosted = (answer: string | undefined) => answer !== undefined && answer !== "demo";

const modelKey = {
  flag: "model-key",
  secret: true,
  settings: (value: string): Setting[] => [{ path: model("apiKey"), value, env: "MODEL_API_KEY" }],
};

const modelQuestions: readonly Question[] = [
  {
    flag: "model",
    message: "Which model answers?",
    choices: [
      { value: "demo", label: "demo: no key, no network, to look around" },
      { value: "openai-compatible", label: "a server that speaks OpenAI's protocol, also on your own machine" },
      { value: "anthropic", label: "Anthropic" },
    ],
    otherwise: "demo",
    settings: (provider) => [
      { path: ["agents", 0, "name"], value: "mooring" },
      isHosted(provider)
        ? { path: model("provider"), value: provider }
        : { path: ["agents", 0, "model"], value: "demo" },
    ],
  },
  {
    flag: "model-url",
    message: "Its address, with the version",
    example: "https://api.openai.com/v1",
    when: (answers) => answers.get("model") === "openai-compatible",
    settings: (value) => [{ path: model("baseUrl"), value }],
  },
  {
    flag: "model-name",
    message: "The name of the model, as its server calls it",
    when: (answers) => isHosted(answers.get("model")),
    settings: (value) => [{ path: model("model"), value }],
  },
  {
    ...modelKey,
    message: "Its API key (empty if the server wants none)",
    optional: true,
    when: (answers) => answers.get("model") === "openai-compatible",
  },
  { ...modelKey, message: "Your API key", when: (answers) => answers.get("model") === "anthropic" },
];

const backboneQuestions: readonly Question[] = [
  {
    flag: "backbone",
    message: "Where are messages kept?",
    choices: [
      { value: "embedded", label: "in one file on this machine: nothing to install, one process" },
      { value: "nats", label: "in NATS with JetStream: any number of processes" },
    ],
    otherwise: "embedded",
    settings: (answer) => (answer === "embedded" ? [{ path: ["backbone"], value: answer }] : []),
  },
  {
    flag: "nats-servers",
    message: "Addresses of the NATS servers, separated by commas",
    otherwise: "nats://127.0.0.1:4222",
    when: (answers) => answers.get("backbone") === "nats",
    settings: (answer) => [{ path: ["backbone", "nats", "servers"], value: listed(answer) }],
  },
];

const gatewayQuestions: readonly Question[] = [
  {
    flag: "port",
    message: "The port to listen on",
    otherwise: "8080",
    settings: (answer) => [{ path: ["gateway", "port"], value: Number(answer) }],
  },
  {
    flag: "public-url",
    message: "How browsers and platforms reach it from outside (empty if only this machine does)",
    example: "https://chat.example.com",
    optional: true,
    settings: (value) => [{ path: ["gateway", "publicUrl"], value }],
  },
];

const channelsQuestion: Question = {
  flag: "channels",
  message: "Where do people talk to it?",
  choices: channels,
  several: true,
  otherwise: "web",
  // `mooring chat` is a channel too, and costs nothing.
  settings: (answer) =>
    [...listed(answer), "cli"].map((name): Setting => {
      const adapter = name === "cli" ? channels[0].value : name;
      return { path: ["channels", name, "adapter"], value: adapter };
    }),
};

/** In the order they are asked, which is the order in the file. */
export const questions: readonly Question[] = [
  ...modelQuestions,
  channelsQuestion,
  ...channelQuestions,
  ...gatewayQuestions,
  ...backboneQuestions,
];
