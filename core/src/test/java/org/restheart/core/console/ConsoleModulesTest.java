package org.restheart.core.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;

/// Those modules of the console that know nothing of the page, with random values: what holds for all of them.
class ConsoleModulesTest extends BrowserTest {
    /// Random values by a seed, so that a failure can be repeated, and the modules by their names.
    private static final String PRELUDE = """
        async ([rounds, seed]) => {
          const base = document.querySelector("script[type=module]").src;
          const load = name => import(new URL(name + ".js", base));
          let state = seed;
          const random = n => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 4294967296 * n); };
          const pick = list => list[random(list.length)];
          const times = (n, make) => Array.from({length: n}, make);
          const text = () => times(random(9), () => pick(["a", "B", "7", " ", '"', "'", "\\\\", "/", "\\n", "\\r", "\\t", ",", ";", "=", "-1",
            "$", ".", "{", "}", "é", "世", "😀", "\\u202e", "\\u0000", "\\u2028", "`", "$(x)"])).join("");
          const found = [];
          const expect = (what, ...told) => what || found.push(told.map(one => JSON.stringify(one)).join(" | "));
          const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
        """;

    private static final String VALUES = """
          const name = () => text() || "x";
          const value = depth => {
            switch (random(depth > 3 ? 9 : 11)) {
              case 0: return {t: "string", v: text()};
              case 1: return {t: "int", v: String(random(2000) - 1000)};
              case 2: return {t: "long", v: pick(["0", "-7", "9223372036854775807", "-9223372036854775808", "123456789012"])};
              case 3: return {t: "double", v: pick(["1", "-0.5", "1e300", "NaN", "Infinity", "-Infinity", "-0"])};
              case 4: return {t: "decimal", v: pick(["1.10", "-0", "NaN", "1E+10"])};
              case 5: return {t: "bool", v: random(2) === 1};
              case 6: return {t: "null"};
              case 7: return {t: "oid", v: "6b02c888c7449297a9373f31"};
              case 8: return {t: "date", v: (random(4) - 2) * 1e12 + random(1000)};
              case 9: return {t: "array", a: times(random(4), () => value(depth + 1))};
              default: return object(depth + 1);
            }
          };
          const object = depth => ({t: "object", e: [...new Set(times(random(5), name))].map(key => [key, value(depth)])});
        """;

    private Page page;

    ConsoleModulesTest(TestMongo mongo) {
        super(mongo);
    }

    @BeforeAll
    void open() {
        page = world.page("");
    }

    @AfterAll
    void leave() {
        page.close();
    }

    private void holds(String checks) {
        var found = page.evaluate(PRELUDE + checks + "return found.slice(0, 5);}", List.of(500, 20_261_123));
        assertThat((List<?>) found).isEmpty();
    }

    @Test
    void what_is_printed_in_the_spelling_of_the_shell_is_read_as_the_same() {
        holds(VALUES + """
            const {parse} = await load("shell");
            const {inline, print} = await load("shellprint");
            for (let i = 0; i < rounds; i++) {
              const one = object(0);
              const [line, lines] = [inline(one), print(one)];
              expect(inline(parse(line)) === line, line);
              expect(inline(parse(lines)) === line, line, lines);
            }
            """);
    }

    @Test
    void nothing_is_completed_behind_a_text() {
        holds("""
            const {placeOf} = await load("complete");
            for (let i = 0; i < rounds; i++) {
              const quoted = JSON.stringify(text());
              for (const before of ["", "{", "{a: ", "{a: [1, ", "{'b': {c: "]) {
                expect(placeOf(before + quoted).expecting === "none", "behind", before, quoted);
              }
              expect(placeOf("{" + quoted + ": ").expecting === "value", "colon", quoted);
              expect(placeOf("{a: " + quoted + ", ").expecting === "key", "comma", quoted);
              expect(placeOf("[" + quoted + ", ").expecting === "value", "element", quoted);
            }
            """);
    }

    @Test
    void conditions_are_read_from_the_filter_that_they_make() {
        holds("""
              const {filterOf, conditionsOf} = await load("conditions");
              const {parse} = await load("shell");
              const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "contains", "begins", "$in", "exists", "missing"];
              for (let i = 0; i < rounds; i++) {
                const conditions = times(random(4), () => ({field: pick(["a", "b.c", "d e", "year"]), operator: pick(operators), value: pick([text(), "7", "-1.5", "true", "2026-01-31", "a, b", "1,2"]), type: pick(["string", "int", "long", "decimal", "date", "oid", "bool", ""])}));
                const any = random(2) === 1;
                const made = filterOf(conditions, any);
                if (made) parse(made);
                const read = conditionsOf(made);
                if (read) expect(filterOf(read.list, read.any) === made, made, read);
                else expect(/\\{\\$in: \\[(\\]|[^\\]]*,)/.test(made) || made.includes('""'), "not read", made, conditions);
              }
              for (const text of ["{$where: 1}", "{a: {$elemMatch: {b: 1}}}", "{$or: [{a: 1, b: 2}]}", "[1]", "{a: /a.b/i}", "{$nor: []}"]) expect(!conditionsOf(text), text);
              expect(conditionsOf("{a: {$gt: 1, $lt: 5}, b: true}")?.list.length === 3, "several tests of a field");
            """);
    }

    @Test
    void texts_that_cannot_be_read_are_refused_at_a_place_within_them() {
        holds(VALUES + """
            const {parse} = await load("shell");
            const {inline} = await load("shellprint");
            for (let i = 0; i < rounds; i++) {
              const line = inline(object(0));
              const at = random(line.length);
              const broken = line.slice(0, at) + pick(["{", "}", '"', ",", ":", "]", ""]) + line.slice(at + 1);
              try {
                parse(broken);
              } catch (failure) {
                expect(failure.name !== "TypeError" && failure.at >= 0 && failure.at <= broken.length, broken, failure.message, failure.at);
              }
            }
            """);
    }

    @Test
    void cells_of_csv_are_read_as_they_were_written() {
        holds("""
            const {rowsOf, guard} = await load("importing");
            const written = cell => '"' + cell.replaceAll('"', '""') + '"';
            for (let i = 0; i < rounds; i++) {
              const separator = pick([",", ";", "\\t"]);
              const width = 2 + random(3);
              const rows = times(1 + random(4), () => times(width, () => text().replaceAll("\\r", "")));
              const csv = rows.map(row => row.map(written).join(separator)).join("\\n") + "\\n";
              expect(same(rowsOf(csv, separator, Infinity).map(row => row.cells), rows), csv);
              const guarded = guard(rows.map(row => row.map(written).join(",")).join("\\n") + "\\n");
              for (const row of rowsOf(guarded, ",", Infinity)) for (const cell of row.cells) expect(!/^[=+@\\t]/.test(cell), guarded);
            }
            """);
    }

    @Test
    void what_is_chosen_in_a_conflict_is_what_is_stored() {
        holds(VALUES + """
            const {compare, merged} = await load("diff");
            const {inline} = await load("shellprint");
            const members = one => Object.fromEntries(one.e.map(([key, inner]) => [key, inline(inner)]).sort((a, b) => a[0] < b[0] ? -1 : 1));
            const own = one => ({...one, e: one.e.filter(([key]) => key !== "_id" && key !== "_etag")});
            for (let i = 0; i < rounds; i++) {
              const [base, mine, theirs] = [object(2), object(2), object(2)].map(own);
              if (random(2)) mine.e.push(...theirs.e.filter(([key]) => !mine.e.some(([other]) => other === key)).slice(0, 1));
              const rows = compare(base, mine, theirs);
              const take = which => members(merged(theirs, rows.map(row => ({...row, take: which}))));
              expect(same(take("mine"), members(mine)), take("mine"), members(mine));
              expect(same(take("theirs"), members(theirs)), take("theirs"), members(theirs));
            }
            """);
    }

    @Test
    void quantiles_of_several_summaries_lie_between_theirs() {
        holds("""
            const {parseMetrics, quantile, once} = await load("prom");
            for (let i = 0; i < rounds; i++) {
              const of = name => { let at = 0; return [0.5, 0.75, 0.95, 0.99].map(q => [name, q, at += (1 + random(100)) / 1000]); };
              const [a, b] = [of("a"), of("b")];
              const line = ([name, q, value]) => `d{path_template="/*",method="${name}\\\\"x",quantile="${q}"} ${value}`;
              const samples = once(parseMetrics([...a, ...b].map(line).join("\\n")));
              expect(samples[0].labels.method === 'a"x', samples[0]);
              [0.5, 0.95, 0.99].forEach(q => {
                const value = list => list.find(one => one[1] === q)[2];
                const alone = quantile(samples, "d", q, labels => labels.method.startsWith("a") ? 5 : 0);
                expect(Math.abs(alone - value(a)) < 1e-6, "alone", q, alone, value(a));
                const both = quantile(samples, "d", q, () => 1);
                expect(both >= Math.min(value(a), value(b)) - 1e-6 && both <= Math.max(value(a), value(b)) + 1e-6, "both", q, both, a, b);
              });
            }
            """);
    }

    @Test
    void schemas_are_checked_as_the_drafts_say() {
        holds("""
            const {violation} = await load("conforming");
            const cases = [
              [{type: "integer"}, 5, 5.5], [{type: "number"}, 5, "5"], [{type: ["string", "null"]}, null, 1], [{enum: ["a", {b: 1}]}, {b: 1}, "c"],
              [{minimum: 1, exclusiveMinimum: true}, 2, 1], [{exclusiveMaximum: 3}, 2, 3], [{pattern: "^a"}, "ab", "ba"], [{maxLength: 1}, "😀", "ab"],
              [{required: ["a"]}, {a: 1}, {b: 1}], [{properties: {a: {type: "string"}}, additionalProperties: false}, {a: "x"}, {a: "x", b: 1}],
              [{patternProperties: {"^n": {type: "number"}}}, {n1: 1}, {n1: "1"}], [{items: {type: "string"}}, ["a"], ["a", 1]],
              [{items: [{type: "string"}], additionalItems: false}, ["a"], ["a", 1]], [{uniqueItems: true}, [1, 2], [1, 1]],
              [{anyOf: [{type: "string"}, {minimum: 5}]}, 6, 4], [{oneOf: [{minimum: 1}, {maximum: 5}]}, 9, 3], [{not: {type: "null"}}, 1, null],
              [{definitions: {p: {type: "string"}}, properties: {a: {$ref: "#/definitions/p"}}}, {a: "x"}, {a: 1}],
            ];
            for (const [schema, good, bad] of cases) {
              expect(violation(schema, good) === null, schema, good);
              expect(violation(schema, bad) !== null, schema, bad);
            }
            """);
    }

    @Test
    void quoted_texts_reach_a_command_as_they_are() throws Exception {
        for (var text : List.of("plain", "it's", "a\"b", "$HOME `id` \\ !", "two\nlines", "{\"a\": 'é 世'}")) {
            var quoted = (String) page.evaluate(
                    "async text => (await import(new URL('curl.js',"
                            + " document.querySelector('script[type=module]').src))).quote(text)",
                    text);
            assertThat(ConsoleWorld.shell("printf %s " + quoted, "RH_USER", "")).isEqualTo(text);
        }
    }

    @Test
    void a_path_is_sent_as_it_was_built_or_refused() {
        holds("""
            const {below, checked, prefixOf} = await load("paths");
            const refused = make => { try { make(); return false; } catch (failure) { return failure instanceof TypeError; } };
            for (const name of [".", ".."]) {
              expect(refused(() => below("/graphql", [name])), name);
              expect(refused(() => below("/", ["books", name, "x"])), name);
            }
            for (const path of ["/a/../b", "/a/%2e%2e/b", "/a/.%2E", "/a/%2E?x", "/a/\\\\..\\\\b", "/a/.\\t./b", "/..#x", "/a/.. "]) expect(refused(() => checked(path)), path);
            for (const path of ["//other.example/x", "/\\\\other.example", "/\\t/other.example", "https://other.example", "x"]) expect(refused(() => checked(path)), path);
            expect(refused(() => below("/", ["", "other.example"])), "another host");
            for (const path of ["/a/...", "/a?x=/../", "/a/..b", "/a/%252e%252e/b"]) expect(checked(path) === path, path);
            for (let i = 0; i < rounds; i++) {
              const names = times(1 + random(3), () => random(4) ? text() || "x" : pick([".", "..", "...", "%2e%2e", "..%2f", "\\\\..", ".\\t."]));
              const steps = names.some(name => name === "." || name === "..");
              let path = null;
              try { path = below("/base", names); } catch { /* below */ }
              expect((path === null) === steps, names);
              if (path !== null) {
                expect(new URL(path, location.origin).pathname === path, path);
                expect(same(path.split("/").slice(2).map(decodeURIComponent), names), names);
              }
            }
            const at = place => { history.replaceState(null, "", place); return prefixOf("/_console"); };
            const before = location.pathname;
            expect(at("/_console/") === "", "none");
            expect(at("/x/y/_console/") === "/x/y", "some");
            history.replaceState(null, "", before);
            """);
    }
}
