package org.restheart.http.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.parameter.ValueForm.Choice;
import org.restheart.http.parameter.ValueForm.Int;
import org.restheart.http.parameter.ValueForm.Json;

/// The values of a request's parameters, each parsed once by its form. Immutable.
public final class ParameterValues {
    private static final ParameterValues NONE = new ParameterValues(Map.of());

    private final Map<DataParameter, Object> values;
    private final List<DataParameter> revealing = new ArrayList<>(0);

    private ParameterValues(Map<DataParameter, Object> values) {
        this.values = values;
    }

    /// Parses all values, in the order of the declarations.
    ///
    /// @param maxPageSize bounds the numbers that the configuration bounds
    /// @param check is told each parameter that was sent, with the values so far; it may throw
    /// @throws ProblemException 400 for the first wrong value
    public static ParameterValues parse(
            Query query, int maxPageSize, BiConsumer<DataParameter, ParameterValues> check) {
        if (query.names().isEmpty()) {
            return NONE;
        }
        var values = new ParameterValues(new EnumMap<>(DataParameter.class));
        for (var parameter : DataParameter.in(query)) {
            values.values.put(parameter, value(parameter, query, maxPageSize));
            if (parameter.reveals() != DataParameter.Reveals.NOTHING) {
                values.revealing.add(parameter);
            }
            check.accept(parameter, values);
        }
        return values;
    }

    /// The values of one parameter of a [Json] that a query has, for those who decide before the request is parsed.
    /// Wrong ones are left out: the request is refused for them later.
    public static List<BsonValue> sent(DataParameter parameter, Query query) {
        var values = new ArrayList<BsonValue>();
        for (var text : parameter.texts(query)) {
            try {
                values.add(((Json) parameter.form()).parser().parse(parameter.wireName(), text));
            } catch (ProblemException _) {
                // left out
            }
        }
        return values;
    }

    private static Object value(DataParameter parameter, Query query, int maxPageSize) {
        var name = parameter.nameIn(query);
        var texts = parameter.texts(query);
        return switch (parameter.form()) {
            case Int(var min, var bounded) ->
                number(name, texts.getFirst(), min, bounded ? OptionalInt.of(maxPageSize) : OptionalInt.empty());
            case Json(var parser, var _) ->
                texts.stream().map(text -> parser.parse(name, text)).toList();
            case Choice choice -> {
                var value = choice.read(texts.getFirst());
                if (value.isEmpty() && choice.required()) {
                    var values = (parameter == DataParameter.HAL ? "valid values are " : "must be ") + choice.all();
                    throw refusal("illegal " + name + " parameter; " + values);
                }
                yield value;
            }
            case ValueForm.Flag _, ValueForm.Switch _ -> parameter.isOn(query);
            case ValueForm.Text _ -> texts.getFirst();
        };
    }

    private static int number(String name, String text, int min, OptionalInt max) {
        int number;
        try {
            number = Integer.parseInt(text);
        } catch (NumberFormatException _) {
            throw Problem.of(PARAMETER_INVALID, "illegal " + name + " parameter, it is not a number")
                    .because("For input string: '" + text + "'")
                    .raise();
        }
        if (max.isPresent() && (number < min || number > max.getAsInt())) {
            throw refusal(
                    "illegal " + name + " parameter, " + name + " must be >= " + min + " and <= " + max.getAsInt());
        }
        if (number < min) {
            throw refusal("illegal " + name + " parameter, it is < " + min);
        }
        return number;
    }

    private static ProblemException refusal(String text) {
        return new ProblemException(PARAMETER_INVALID, text);
    }

    public boolean has(DataParameter parameter) {
        return values.containsKey(parameter);
    }

    public boolean isOn(DataParameter parameter) {
        return values.getOrDefault(parameter, false).equals(true);
    }

    public int number(DataParameter parameter, int otherwise) {
        return (int) values.getOrDefault(parameter, otherwise);
    }

    /// One of several names, in its usual spelling; empty if it was not sent, or has no effect.
    public Optional<String> choice(DataParameter parameter) {
        return values.get(parameter) instanceof Optional<?> name ? name.map(String.class::cast) : Optional.empty();
    }

    public Optional<String> text(DataParameter parameter) {
        return Optional.ofNullable((String) values.get(parameter));
    }

    /// The JSON values of a [Json]; none if it was not sent.
    @SuppressWarnings("unchecked") // values of this form are parsed to lists of BSON
    public List<BsonValue> json(DataParameter parameter) {
        var all = values.get(parameter);
        return all == null ? List.of() : (List<BsonValue>) all;
    }

    /// The objects among the JSON values, those in lists included.
    public List<BsonDocument> documents(DataParameter parameter) {
        var sent = json(parameter);
        if (sent.isEmpty()) {
            return List.of();
        }
        var documents = new ArrayList<BsonDocument>(sent.size());
        for (var value : sent) {
            for (var each : BsonValues.several(value)) {
                if (each instanceof BsonDocument document) {
                    documents.add(document);
                }
            }
        }
        return documents;
    }

    /// Those that were sent and that can reveal something of documents, in the order of the declarations.
    public List<DataParameter> revealing() {
        return Collections.unmodifiableList(revealing);
    }
}
