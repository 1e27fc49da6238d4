package org.restheart.mongo.service;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.restheart.http.KnownKeys;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;

/// Options of loading a CSV file.
///
/// @param id the column with `_id`, counted from 0
/// @param separator between cells, literal; not empty
/// @param separatorGiven whether the client named it
/// @param update whether rows update documents by `_id` instead of being inserted
/// @param upsert whether an update inserts missing documents
/// @param properties names of fields that every row gets, with [#values()]
record CsvOptions(
        String db,
        String collection,
        OptionalInt id,
        String separator,
        boolean separatorGiven,
        boolean update,
        boolean upsert,
        List<String> properties,
        List<String> values) {
    private static final int MAX_SEPARATOR = 20;
    private static final KnownKeys KNOWN = KnownKeys.of("db coll id sep update upsert props values")
            .meantBy("separator=sep delimiter=sep delim=sep database=db collection=coll key=id _id=id");

    /// Parameters that filters before the loader read.
    private static final Set<String> ELSEWHERE = Set.of("pretty", "cache");

    CsvOptions {
        properties = List.copyOf(properties);
        values = List.copyOf(values);
    }

    /// @throws ProblemException 400
    static CsvOptions parse(Query query) {
        requireSpelling(query);
        var options = new CsvOptions(
                mandatory(query, "db"),
                mandatory(query, "coll"),
                id(query),
                separator(query),
                query.has("sep"),
                query.first("update").filter("true"::equals).isPresent(),
                query.first("upsert").filter("false"::equals).isEmpty(),
                query.all("props"),
                query.all("values"));
        if (options.update() && options.id().isEmpty()) {
            throw refuse("id must be set when update=true");
        }
        if (options.properties().size() != options.values().size()) {
            throw refuse("props and values must come in pairs");
        }
        return options;
    }

    private static void requireSpelling(Query query) {
        for (var name : query.names()) {
            var isWord = KNOWN.words().containsKey(name.toLowerCase(Locale.ROOT));
            if (!KNOWN.known().contains(name)
                    && (isWord || name.length() >= 3)
                    && KNOWN.near(name).isPresent()) {
                throw refuse("unknown parameter " + name + KNOWN.question(name));
            }
        }
    }

    /// Names of parameters that have no effect here, and are close to none that has.
    static List<String> unknown(Query query) {
        return query.names().stream()
                .filter(name -> !KNOWN.known().contains(name) && !ELSEWHERE.contains(name))
                .sorted()
                .toList();
    }

    private static String mandatory(Query query, String name) {
        return query.first(name)
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> refuse(name + " qparam is mandatory"));
    }

    private static OptionalInt id(Query query) {
        var text = query.first("id");
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            int column = Integer.parseInt(text.get());
            if (column >= 0) {
                return OptionalInt.of(column);
            }
        } catch (NumberFormatException _) {
            // refused below, as a negative number is
        }
        throw refuse("id must be the number of a column, counted from 0");
    }

    private static String separator(Query query) {
        var separator = unescaped(query.first("sep").orElse(","));
        if (separator.isEmpty() || separator.length() > MAX_SEPARATOR || separator.contains("\"")) {
            throw refuse("sep must be 1 to " + MAX_SEPARATOR + " characters without quotes");
        }
        return separator;
    }

    /// `\t` is a tab; any other character may be escaped by a backslash, as in regular expressions. The separator is
    /// never used as a regular expression, whose run time a client could control.
    private static String unescaped(String text) {
        var separator = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                c = text.charAt(++i);
                separator.append(c == 't' ? '\t' : c);
            } else {
                separator.append(c);
            }
        }
        return separator.toString();
    }

    private static ProblemException refuse(String message) {
        return new ProblemException(PARAMETER_INVALID, message);
    }
}
