package org.restheart.http;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The media types that a client accepts, with their weights from 0 to 1 (RFC 9110, 12.5.1). Parameters other than
/// the weight are ignored. Immutable.
public final class Accepted {
    /// Of responses that depend on what the client accepts.
    public static final Fields VARY = Fields.of("Vary", "Accept");

    private static final Pattern WEIGHT = Pattern.compile("q=(0(\\.\\d{0,3})?|1(\\.0{0,3})?)");

    private final Map<String, Double> weights;

    private Accepted(Map<String, Double> weights) {
        this.weights = weights;
    }

    /// A media type in lower case, without its parameters.
    public static String essence(String type) {
        return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /// Reads all `Accept` fields. Without one, every type is accepted. A malformed weight counts as 1.
    public static Accepted of(Headers headers) {
        var weights = weights(headers, "Accept");
        return new Accepted(weights.isEmpty() ? Map.of("*/*", 1.0) : weights);
    }

    /// The members of a list in a header, in lower case, with their weights (RFC 9110, 12.4.2).
    static Map<String, Double> weights(Headers headers, String field) {
        var weights = new LinkedHashMap<String, Double>();
        for (var line : headers.all(field)) {
            for (var range : line.split(",", -1)) {
                var parts = range.split(";", -1);
                var name = parts[0].strip().toLowerCase(Locale.ROOT);
                if (!name.isEmpty()) {
                    weights.merge(name, weight(parts), Math::max);
                }
            }
        }
        return weights;
    }

    private static double weight(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            var parameter = parts[i].replace(" ", "").toLowerCase(Locale.ROOT);
            if (WEIGHT.matcher(parameter).matches()) {
                return Double.parseDouble(parameter.substring(2));
            }
        }
        return 1;
    }

    /// The weight of the most specific range that covers the type; 0 if it is not accepted.
    ///
    /// @param type in lower case, such as `text/html`
    public double weight(String type) {
        var exact = weights.get(type);
        if (exact != null) {
            return exact;
        }
        var main = weights.get(type.substring(0, type.indexOf('/')) + "/*");
        return main != null ? main : weights.getOrDefault("*/*", 0.0);
    }

    /// The weight of the type if the client names exactly this type, not a range that covers it; otherwise 0.
    public double named(String type) {
        return weights.getOrDefault(type, 0.0);
    }

    /// The one of these types that the client names with the greatest weight; of equal weights the one that it names
    /// first.
    public Optional<String> preferred(Predicate<String> types) {
        return weights.entrySet().stream()
                .filter(range -> types.test(range.getKey()) && range.getValue() > 0)
                .reduce((best, next) -> next.getValue() > best.getValue() ? next : best)
                .map(Map.Entry::getKey);
    }
}
