package org.restheart.http;

import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Why a request was refused or failed, as reported to the client. Immutable.
///
/// @param code what kind of problem; documented in docs/reference/errors.md
/// @param status the status code, normally the code's own
/// @param message safe to show; no host names, no secrets
/// @param exception a class name that clients of the data API expect with some problems; opaque
/// @param exceptionMessage text, or MongoDB's `{code, codeName, errmsg}`
/// @param headers to add to the response, such as `ETag` or `Retry-After`
/// @param warnings further remarks about the request
/// @param telling whether the client is sent a body
/// @param unquoted the message for callers who may not read stored documents, which `message` may quote
public record Problem(
        ProblemCode code,
        int status,
        String message,
        Optional<String> exception,
        Optional<BsonValue> exceptionMessage,
        Fields headers,
        List<String> warnings,
        Telling telling,
        Optional<String> unquoted) {

    /// Characters of a message. It may quote content, and a response many messages.
    private static final int MAX_MESSAGE = 4_000;

    public Problem {
        message = shortened(message);
        unquoted = unquoted.map(Problem::shortened);
        exceptionMessage = exceptionMessage.map(Problem::shortened);
    }

    private static String shortened(String text) {
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "…";
    }

    private static BsonValue shortened(BsonValue message) {
        return switch (message) {
            case BsonString text
            when text.getValue().length() > MAX_MESSAGE -> new BsonString(shortened(text.getValue()));
            case BsonDocument document
            when document.get("errmsg") instanceof BsonString text
                    && text.getValue().length() > MAX_MESSAGE -> {
                var copy = new BsonDocument();
                copy.putAll(document);
                yield copy.append("errmsg", new BsonString(shortened(text.getValue())));
            }
            default -> message;
        };
    }

    /// When the message is sent.
    public enum Telling {
        ALWAYS,
        /// Unless the configuration wants the empty bodies that clients of earlier versions know.
        HELPFULLY,
        /// The status says it all.
        NEVER
    }

    public static Problem of(ProblemCode code, String message) {
        return of(code, message, Telling.ALWAYS);
    }

    /// One whose message is a help that clients of earlier versions do not know.
    public static Problem helpful(ProblemCode code, String message) {
        return of(code, message, Telling.HELPFULLY);
    }

    /// Only a status, no body.
    public static Problem bare(ProblemCode code) {
        return of(code, code.title(), Telling.NEVER);
    }

    private static Problem of(ProblemCode code, String message, Telling telling) {
        return new Problem(
                code,
                code.status(),
                message,
                Optional.empty(),
                Optional.empty(),
                Fields.NONE,
                List.of(),
                telling,
                Optional.empty());
    }

    public Problem because(String exception, String exceptionMessage) {
        return because(exception, new BsonString(clean(exceptionMessage)));
    }

    public Problem because(String exception, BsonValue exceptionMessage) {
        return new Problem(
                code,
                status,
                message,
                Optional.of(exception),
                Optional.of(exceptionMessage),
                headers,
                warnings,
                telling,
                unquoted);
    }

    /// Sets the message for callers from whom fields are hidden: this message is MongoDB's, which quotes documents.
    public Problem orElse(String unquoted) {
        return new Problem(
                code, status, message, exception, exceptionMessage, headers, warnings, telling, Optional.of(unquoted));
    }

    /// This problem without text that may quote stored documents.
    public Problem unquoting() {
        return unquoted.map(text -> new Problem(
                        code,
                        status,
                        text,
                        Optional.empty(),
                        Optional.empty(),
                        headers,
                        warnings,
                        telling,
                        Optional.empty()))
                .orElse(this);
    }

    public Problem with(String header, String value) {
        return withHeaders(headers.with(header, value));
    }

    /// With all these lines besides the present ones.
    public Problem with(Fields more) {
        return withHeaders(headers.plus(more));
    }

    private Problem withHeaders(Fields headers) {
        return new Problem(code, status, message, exception, exceptionMessage, headers, warnings, telling, unquoted);
    }

    public Problem without(String header) {
        return headers.has(header) ? withHeaders(headers.without(header)) : this;
    }

    public Problem withWarnings(List<String> warnings) {
        return new Problem(
                code, status, message, exception, exceptionMessage, headers, List.copyOf(warnings), telling, unquoted);
    }

    public ProblemException raise() {
        return new ProblemException(this);
    }

    /// The body in the data API's shape.
    public BsonDocument toStatusDocument() {
        var document = new BsonDocument()
                .append("http status code", new BsonInt32(status))
                .append("http status description", new BsonString(StatusText.of(status)))
                .append("message", new BsonString(clean(message)));
        exception.ifPresent(name -> document.append("exception", new BsonString(name)));
        exceptionMessage.ifPresent(text -> document.append("exception message", text));
        if (!warnings.isEmpty()) {
            document.append(
                    "_warnings",
                    new BsonArray(warnings.stream().map(BsonString::new).toList()));
        }
        return document;
    }

    /// The body in the other services' shape.
    public BsonDocument toMessageDocument() {
        var document = new BsonDocument("msg", new BsonString(clean(message)));
        exception.ifPresent(name -> document.append("exception", new BsonString(name)));
        return document;
    }

    /// The contract's rewriting of texts: `"` becomes `'`, a tab two spaces.
    private static String clean(@Nullable String text) {
        return text == null ? "" : text.replace('"', '\'').replace("\t", "  ");
    }
}
