/** Longer code stays plain, because it would block the page. */
const MAX_CHARS = 50_000;

interface Language {
  readonly keywords: string;
  /** The start of a comment up to the end of its line. */
  readonly line?: string;
  /** Comments between slash and star. */
  readonly hasBlocks?: boolean;
  readonly ignoresCase?: boolean;
}

const C =
  "if else for while do switch case default break continue return const static struct enum void true false null";
const JS = `${C} function let var new class extends import export from as async await try catch finally throw typeof instanceof in of this super yield delete undefined interface type implements public private protected readonly`;
const LANGUAGES: readonly (readonly [names: string, language: Language])[] = [
  ["js jsx ts tsx javascript typescript mjs", { keywords: JS, line: "//", hasBlocks: true }],
  ["json json5 jsonc", { keywords: "true false null", line: "//" }],
  [
    "py python",
    {
      keywords:
        "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self",
      line: "#",
    },
  ],
  [
    "sh bash shell zsh console",
    {
      keywords: "if then else elif fi for while do done case esac in function return export local set cd echo sudo",
      line: "#",
    },
  ],
  ["yaml yml toml ini", { keywords: "true false null yes no on off", line: "#" }],
  [
    "sql",
    {
      keywords:
        "select from where and or not insert into values update set delete create table alter drop index join left right inner outer on group by order having limit offset as distinct union all null primary key references default exists in is like between case when then else end with",
      line: "--",
      hasBlocks: true,
      ignoresCase: true,
    },
  ],
  [
    "c cpp c++ h java cs csharp kotlin kt swift php scala dart",
    {
      keywords: `${C} int long short char float double bool boolean string byte unsigned signed new class extends implements interface public private protected final abstract package import using namespace try catch finally throw throws this super var val fun func let guard override nil self auto template typename include define`,
      line: "//",
      hasBlocks: true,
    },
  ],
  [
    "go golang",
    {
      keywords: `${C} func var type interface package import defer go chan select range map make nil string int error`,
      line: "//",
      hasBlocks: true,
    },
  ],
  [
    "rs rust",
    {
      keywords: `${C} fn let mut pub impl trait use mod crate match loop move ref self Self where async await dyn unsafe as in type Some None Ok Err`,
      line: "//",
      hasBlocks: true,
    },
  ],
  [
    "rb ruby",
    {
      keywords:
        "def end class module if elsif else unless while until do begin rescue ensure return yield self nil true false and or not require include attr_accessor puts new",
      line: "#",
    },
  ],
  ["css scss less", { keywords: "import media keyframes supports important", hasBlocks: true }],
];

const languageNamed = (name: string): Language | undefined =>
  LANGUAGES.find(([names]) => names.split(" ").includes(name.toLowerCase()))?.[1];

const escaped = (text: string): string => text.replace(/[/*+.\\-]/g, "\\$&");

/** Every alternative is linear: none can match the same text in two ways. */
const patternOf = ({ line, hasBlocks = false }: Language): RegExp =>
  new RegExp(
    [
      `(?<comment>${[...(hasBlocks ? ["/\\*[\\s\\S]*?(?:\\*/|$)"] : []), ...(line ? [`${escaped(line)}.*`] : []), "(?!)"].join("|")})`,
      `(?<string>"(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?|\`(?:[^\`\\\\]|\\\\[\\s\\S])*\`?)`,
      `(?<number>\\b\\d[\\w.]*)`,
      `(?<word>[A-Za-z_$@][\\w$]*)`,
    ].join("|"),
    "g",
  );

/** Code as nodes: spans for comments, strings, numbers and keywords. Undefined: the language is unknown. */
export const highlight = (code: string, name: string): Node[] | undefined => {
  const language = languageNamed(name);
  if (language === undefined || code.length > MAX_CHARS) return undefined;
  const keywords = new Set(language.keywords.split(" "));
  const nodes: Node[] = [];
  let at = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(patternOf(language))) {
    const { comment, string, number, word } = groups;
    const isKeyword = word !== undefined && keywords.has(language.ignoresCase ? word.toLowerCase() : word);
    const kind = comment ? "comment" : string ? "string" : number ? "number" : isKeyword ? "keyword" : undefined;
    if (kind === undefined) continue;
    const span = document.createElement("span");
    span.className = `hl-${kind}`;
    span.textContent = text;
    nodes.push(document.createTextNode(code.slice(at, index)), span);
    at = index + text.length;
  }
  nodes.push(document.createTextNode(code.slice(at)));
  return nodes;
};
