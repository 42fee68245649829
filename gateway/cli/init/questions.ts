import { type AvailableAdapter, builtInAdapters, type Setting } from "../../../config/index.ts";
import { listed, type SetupQuestion } from "../../../core/contract/setup-question.ts";
import { modelProviders } from "../../../core/model/index.ts";

/** Answers by flag. Several choices are separated by commas. */
export type Answers = ReadonlyMap<string, string>;

/** A question of the wizard, with the flag that answers it on the command line. */
export interface Question {
  readonly flag: string;
  readonly message: string;
  /** The possible answers; with `several`, any number of them. Without choices the answer is text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly several?: boolean;
  /** Hidden while it is typed, and written to the env file instead of the configuration. */
  readonly secret?: boolean;
  /** The meaning of an empty answer. Without it the question must be answered, unless it is optional. */
  readonly otherwise?: string;
  readonly optional?: boolean;
  readonly example?: string;
  /** Asked only if this holds. */
  readonly when?: (answers: Answers) => boolean;
  readonly settings: (answer: string) => readonly Setting[];
}

/** The wizard's form of a question that a channel or a model provider asks about its settings at `path`. */
const setupQuestion = (
  { setting, env, after, toValue = (answer) => answer, ...question }: SetupQuestion,
  path: Setting["path"],
  isWanted: (answers: Answers) => boolean,
): Question => ({
  ...question,
  ...(env !== undefined && { secret: true }),
  when: (answers) => isWanted(answers) && (after === undefined || answers.get(after.flag) === after.answer),
  settings: (answer) =>
    setting === undefined
      ? []
      : [{ path: [...path, ...setting], value: toValue(answer), ...(env !== undefined && { env }) }],
});

const modelPath = ["agents", 0, "model"] as const;

/** The servers that the wizard offers: the presets of a provider, then the provider itself. */
const modelOffers = modelProviders.flatMap(({ id, label, questions, presets = [], isForTrial, isAgent }) =>
  [...presets, { id, label, questions, settings: {} }].map((offer) => ({
    ...offer,
    provider: id,
    // The demo model follows fixed rules, and an agent elsewhere has its own directives.
    takesPersona: !isForTrial && !isAgent,
  })),
);

const offerOf = (id: string | undefined) => modelOffers.find((offer) => offer.id === id);

const modelQuestions: readonly Question[] = [
  {
    flag: "model",
    message: "Which model answers?",
    choices: modelOffers.map(({ id, label }) => ({ value: id, label })),
    otherwise: modelProviders[0].id,
    settings: (answer) => {
      const { provider = answer, settings = {}, questions = [] } = offerOf(answer) ?? {};
      // A provider without questions is named by its id alone.
      const path = questions.length > 0 ? [...modelPath, "provider"] : modelPath;
      return [
        { path, value: provider },
        ...Object.entries(settings).map(([key, value]) => ({ path: [...modelPath, key], value })),
      ];
    },
  },
  ...modelOffers.flatMap(({ id, questions }) =>
    questions.map((question) => setupQuestion(question, modelPath, (answers) => answers.get("model") === id)),
  ),
];

const nameQuestion: Question = {
  flag: "name",
  message: "What is the agent called?",
  otherwise: "mooring",
  settings: (value) => [{ path: ["agents", 0, "name"], value }],
};

const personaQuestion: Question = {
  flag: "persona",
  message: "Its role and tone, in a sentence or two (empty: a general assistant)",
  example: "You help the crew of a harbour office. Be brief and friendly.",
  optional: true,
  when: (answers) => offerOf(answers.get("model"))?.takesPersona === true,
  settings: (value) => [{ path: ["agents", 0, "directives"], value }],
};

/** For an assistant of one person (I1). */
const ownerQuestions = (foreign: readonly AvailableAdapter[]): readonly Question[] => {
  const isPersonal = (answers: Answers) => answers.get("for") === "me";
  const withAccounts = [...builtInAdapters, ...foreign].filter(
    ({ definition }) => definition.ownerAccount === undefined,
  );
  return [
    {
      flag: "for",
      message: "Is it for you alone or for several people?",
      choices: [
        { value: "people", label: "for several people: each sees their own work" },
        { value: "me", label: "for me alone: I see answers on all my channels, and everybody else is kept out" },
      ],
      otherwise: "people",
      settings: () => [],
    },
    {
      flag: "owner-name",
      message: "Your name",
      otherwise: "owner",
      when: isPersonal,
      settings: (value) => [{ path: ["owner", "name"], value }],
    },
    ...withAccounts.map(
      ({ definition: { id, label } }): Question => ({
        flag: `owner-${id}`,
        message: `Your account id on ${label.split(":", 1)[0]} (docs/personal-mode.md says where to find it)`,
        when: (answers) => isPersonal(answers) && listed(answers.get("channels")).includes(id),
        settings: (value) => [{ path: ["owner", "accounts", id], value }],
      }),
    ),
  ];
};

const backboneQuestions: readonly Question[] = [
  {
    flag: "backbone",
    message: "Where are messages stored?",
    choices: [
      { value: "embedded", label: "in one file on this machine: nothing to install, for one process" },
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
    message: "Which port should Mooring listen on?",
    otherwise: "8080",
    settings: (answer) => [{ path: ["gateway", "port"], value: Number(answer) }],
  },
  {
    flag: "public-url",
    message: "Its public address, for browsers and platforms (empty if only this machine uses it)",
    example: "https://chat.example.com",
    optional: true,
    settings: (value) => [{ path: ["gateway", "publicUrl"], value }],
  },
];

/** The first one of the list, which needs no platform. */
const [{ name: defaultAdapter = "" } = {}] = builtInAdapters;

const channelQuestions = (foreign: readonly AvailableAdapter[]): readonly Question[] => {
  const adapters = [...builtInAdapters, ...foreign];
  const nameOf = (id: string) => adapters.find(({ definition }) => definition.id === id)?.name ?? id;
  return [
    {
      flag: "channels",
      message: "Where do people chat with it?",
      choices: adapters.map(({ definition: { id, label } }) => ({ value: id, label })),
      several: true,
      otherwise: [defaultAdapter, ...foreign.map(({ definition }) => definition.id)].join(","),
      // The channel of `mooring chat`.
      settings: (answer) =>
        [...listed(answer), "cli"].map((name): Setting => {
          const adapter = name === "cli" ? defaultAdapter : nameOf(name);
          return { path: ["channels", name, "adapter"], value: adapter };
        }),
    },
    ...adapters.flatMap(({ definition: { id, questions } }) =>
      questions.map((question) =>
        setupQuestion(question, ["channels", id], (answers) => listed(answers.get("channels")).includes(id)),
      ),
    ),
  ];
};

/** In the order of the wizard and of the file that it writes. `foreign`: adapters from outside, from `--adapter`. */
export const questionsFor = (foreign: readonly AvailableAdapter[]): readonly Question[] => [
  nameQuestion,
  ...modelQuestions,
  personaQuestion,
  ...channelQuestions(foreign),
  ...ownerQuestions(foreign),
  ...gatewayQuestions,
  ...backboneQuestions,
];
