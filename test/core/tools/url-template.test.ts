import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandUrl, urlTemplateProblem } from "../../../core/tools/http/url-template.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

const TEMPLATE = "https://api.example:8443/v1/orders/{id}/items/{item}?verbose=1&note={note}";

describe("given an HTTP tool with arguments in its address (T1)", () => {
  it("when any texts are inserted, then scheme, host, port, path around them and other parameters stay", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "..",
        ".",
        "%2e%2e",
        "/../../admin",
        "x?admin=1",
        "x#y",
        "\\..\\",
        "@evil.example/",
        "//evil.example",
        "a&verbose=0",
        "\n",
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (id, item, note) => {
        let url: URL;
        try {
          url = expandUrl(TEMPLATE, { id, item, note });
        } catch (error) {
          expect(String(error)).toMatch(/must not be/);
          expect(["", ".", ".."].some((bad) => id === bad || item === bad)).toBe(true);
          return;
        }
        expect(url.origin).toBe("https://api.example:8443");
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""]);
        const [, v1, orders, shownId, items, shownItem, ...more] = url.pathname.split("/");
        expect([v1, orders, items, more]).toEqual(["v1", "orders", "items", []]);
        expect([shownId, shownItem].map((part) => decodeURIComponent(part ?? ""))).toEqual([id, item].map(wellFormed));
        expect([...url.searchParams.keys()]).toEqual(["verbose", "note"]);
        expect(url.searchParams.get("verbose")).toBe("1");
      }),
      propertyRuns(300),
    );
  });

  it("when an argument is an object, then the call is refused", () => {
    expect(() => expandUrl("https://api.example/{id}", { id: { a: 1 } })).toThrow(
      "must be a text, a number or a boolean",
    );
  });

  it.each([
    ["https://{host}/x", "never in scheme, host or port"],
    ["https:/{host}/x", "never in scheme, host or port"],
    ["https:{host}/x", "never in scheme, host or port"],
    ["https:///{host}/x", "never in scheme, host or port"],
    ["https:\\\\{host}\\x", "never in scheme, host or port"],
    [" https://{host}/x", "never in scheme, host or port"],
    ["https://api.example.{host}/x", "never in scheme, host or port"],
    ["https://api.example:{port}/x", "must be an http or https address"],
    ["{scheme}://api.example/x", "must be an http or https address"],
    ["ftp://api.example/x", "must be an http or https address"],
    ["https://a:b@api.example/x", "must have no user name or password"],
    ["https://api.example/x#{y}", "must have no #fragment"],
    ["https://api.example/{a b}", "has a { or } without"],
    ["not an address", "must be an http or https address"],
  ])("when the template is %s, then the operator learns that it %s", (template, problem) => {
    expect(urlTemplateProblem(template)).toContain(problem);
  });

  it("when a template is written in an unusual way, then arguments still do not change the host", () => {
    expect(urlTemplateProblem("https:/api.example/{x}")).toBeUndefined();
    expect(expandUrl("https:/api.example/{x}", { x: "//evil.example" }).host).toBe("api.example");
    expect(() => expandUrl("https:/{x}/y", { x: "evil.example" })).toThrow("would change the host");
  });

  it("when a dot stands beside an argument, then no dot segment can be made", () => {
    expect(() => expandUrl("https://api.example/a/.{x}/b", { x: "." })).toThrow('"." or ".."');
    expect(() => expandUrl("https://api.example/a/%2e{x}/b", { x: "." })).toThrow('"." or ".."');
    expect(expandUrl("https://api.example/a/.{x}/b", { x: "git" }).pathname).toBe("/a/.git/b");
  });
});

const wellFormed = (text: string) => text.toWellFormed();
