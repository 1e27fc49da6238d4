package org.restheart.http.parameter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.restheart.text.Words;

/// The form of a parameter's values.
public sealed interface ValueForm {
    /// Reads a form as the declarations have it.
    static ValueForm of(String text) {
        var kind = text.split(" ", 2);
        var rest = kind.length == 1 ? "" : kind[1];
        return switch (kind[0]) {
            case "flag" -> new Flag(rest);
            case "switch" -> new Switch();
            case "number" -> new Int(Integer.parseInt(rest.split(" ", 2)[0]), rest.endsWith(" max"));
            case "must", "may" -> Choice.of(Words.list(rest), kind[0].equals("must"));
            case "json" ->
                new Json(JsonValues.valueOf(rest.split(" ", 2)[0]), rest.contains(" ") ? rest.split(" ", 2)[1] : "");
            case "text" -> new Text(rest.split(" ", 2)[0], rest.contains(" ") ? rest.split(" ", 2)[1] : "");
            default -> throw new IllegalArgumentException(text);
        };
    }

    default boolean has(String word) {
        return this instanceof Choice choice && choice.names.contains(word);
    }

    /// Its presence turns it on, whatever the value.
    ///
    /// @param special a value that means more; empty if there is none
    record Flag(String special) implements ValueForm {}

    /// As [Flag], but `false` and `0` turn it off.
    record Switch() implements ValueForm {
        static boolean isOff(String text) {
            return text.equalsIgnoreCase("false") || text.equals("0");
        }
    }

    /// An integer.
    ///
    /// @param bounded whether the configuration bounds it
    record Int(int min, boolean bounded) implements ValueForm {}

    /// One of several names, in any case.
    ///
    /// @param names in their usual spelling
    /// @param accepted names, in the order of messages, and what they stand for
    /// @param required whether other values are refused; else they have no effect
    record Choice(List<String> names, Map<String, String> accepted, boolean required) implements ValueForm {
        private static Choice of(List<String> words, boolean required) {
            var accepted = new LinkedHashMap<String, String>();
            words.forEach(word -> accepted.put(word.split("=", 2)[0], word.substring(word.indexOf('=') + 1)));
            return new Choice(words.stream().filter(word -> !word.contains("=")).toList(), accepted, required);
        }

        /// The name in its usual spelling; empty for an unknown one.
        Optional<String> read(String text) {
            for (var name : accepted.entrySet()) {
                if (text.equalsIgnoreCase(name.getKey())) {
                    return Optional.of(name.getValue());
                }
            }
            return Optional.empty();
        }

        /// All accepted names, for messages.
        String all() {
            return accepted.keySet().stream()
                    .filter(name -> !name.isEmpty())
                    .toList()
                    .toString();
        }

        /// The values, for messages: `a, b or c`.
        public String text() {
            return names.stream().limit(names.size() - 1L).collect(Collectors.joining(", ")) + " or " + names.getLast();
        }
    }

    /// JSON, or a short form of it.
    ///
    /// @param example an object; empty where values are mostly in a short form
    record Json(JsonValues parser, String example) implements ValueForm {}

    /// Any text; whoever reads it checks it.
    ///
    /// @param type and `format` of the value, as JSON Schema has them
    record Text(String type, String format) implements ValueForm {}
}
