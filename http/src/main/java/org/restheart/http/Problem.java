package org.restheart.http;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.text.ShortText;

/// Why a request was refused or failed, as reported to the client. Immutable. Raised as a [ProblemException].
///
/// @param status the status of the response, normally that of the code
/// @param message sent to the client: contains no host names and no secrets
/// @param cause in detail, which clients of the data API expect with some problems
/// @param hints what the client may have meant or can do; not sent if `core.error-bodies` is `MINIMAL`
/// @param unquoted present if `message` may quote stored documents: the message for callers who may not read these
/// @param index of the operation that has failed, from 0, if the request has several
public record Problem(
        ProblemCode code,
        int status,
        String message,
        Optional<BsonValue> cause,
        Fields headers,
        List<String> warnings,
        List<String> hints,
        Disclosure disclosure,
        Optional<String> unquoted,
        OptionalInt index) {

    /// Begins the messages of documents that a validator refuses, see `DataWrite.isFailedValidation`.
    public static final String FAILED_VALIDATION = "Document failed validation";

    /// Begins the messages of [ProblemCode#DUPLICATE_KEY].
    public static final String DUPLICATE_KEY_ERROR = "Duplicate key error";

    /// Longer messages are truncated. A message may quote content, and a response may contain many messages.
    private static final int MAX_MESSAGE = 4_000;

    public Problem {
        message = shortened(message);
        cause = cause.map(Problem::shortened);
        unquoted = unquoted.map(Problem::shortened);
    }

    private static String shortened(String text) {
        return ShortText.of(text, MAX_MESSAGE);
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

    /// When the response to a problem has a body with the message.
    public enum Disclosure {
        ALWAYS,
        /// Not if `core.error-bodies` is `MINIMAL`: earlier versions sent an empty body.
        UNLESS_MINIMAL
    }

    public static Problem of(ProblemCode code, String message) {
        return of(code, message, Disclosure.ALWAYS);
    }

    /// The refusal of a request for which there is no room at the moment: a client may send it again in a second.
    public static Problem overloaded(String message) {
        return of(ProblemCode.OVERLOADED, message).with("Retry-After", "1");
    }

    /// A problem for which earlier versions sent an empty body; the configuration decides whether the message
    /// is sent.
    public static Problem helpful(ProblemCode code, String message) {
        return of(code, message, Disclosure.UNLESS_MINIMAL);
    }

    /// A problem of which there is nothing to say beyond its code; earlier versions sent an empty body.
    public static Problem of(ProblemCode code) {
        return helpful(code, code.title());
    }

    /// `405`.
    ///
    /// @param methods that the resource has, such as `GET, POST` (RFC 9110, 15.5.6)
    public static Problem notAllowed(String methods) {
        var allowed = Cors.allow(methods);
        return helpful(ProblemCode.METHOD_NOT_ALLOWED, "the methods are " + allowed)
                .with("Allow", allowed);
    }

    private static Problem of(ProblemCode code, String message, Disclosure disclosure) {
        return new Problem(
                code,
                code.status(),
                message,
                Optional.empty(),
                Fields.NONE,
                List.of(),
                List.of(),
                disclosure,
                Optional.empty(),
                OptionalInt.empty());
    }

    /// This problem with its cause in its body, in the member that once had the text of an exception.
    public Problem because(String cause) {
        return because(new BsonString(clean(cause)));
    }

    /// As [#because(String)].
    ///
    /// @param cause a text, or MongoDB's `{code, codeName, errmsg}`
    public Problem because(BsonValue cause) {
        return with(message, Optional.of(cause), unquoted);
    }

    /// This problem, whose message may quote stored documents, with another message for callers who may not
    /// read these.
    public Problem orElse(String unquoted) {
        return with(message, cause, Optional.of(unquoted));
    }

    /// This problem for callers who may not read stored documents: without any text that may quote these.
    public Problem unquoting() {
        return unquoted.map(text -> with(text, Optional.empty(), Optional.empty()))
                .orElse(this);
    }

    private Problem with(String message, Optional<BsonValue> cause, Optional<String> unquoted) {
        return new Problem(code, status, message, cause, headers, warnings, hints, disclosure, unquoted, index);
    }

    /// This problem with exactly one header line of that name.
    public Problem with(String header, String value) {
        return withHeaders(headers.with(header, value));
    }

    /// This problem with more header lines, in addition to existing lines of the same names.
    public Problem with(Fields more) {
        return withHeaders(headers.plus(more));
    }

    private Problem withHeaders(Fields headers) {
        return new Problem(code, status, message, cause, headers, warnings, hints, disclosure, unquoted, index);
    }

    public Problem without(String header) {
        return headers.has(header) ? withHeaders(headers.without(header)) : this;
    }

    public Problem withWarnings(List<String> more) {
        return with(joined(warnings, more), hints);
    }

    public Problem withHints(List<String> more) {
        return with(warnings, joined(hints, more));
    }

    /// This problem as earlier versions sent it.
    public Problem withoutHints() {
        return hints.isEmpty() ? this : with(warnings, List.of());
    }

    private Problem with(List<String> warnings, List<String> hints) {
        return new Problem(code, status, message, cause, headers, warnings, hints, disclosure, unquoted, index);
    }

    private static List<String> joined(List<String> some, List<String> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /// This problem as that of an operation of a request with several. Its body, which says which one, is always sent.
    public Problem at(int index) {
        return new Problem(
                code,
                status,
                message,
                cause,
                headers,
                warnings,
                hints,
                Disclosure.ALWAYS,
                unquoted,
                OptionalInt.of(index));
    }

    /// The exception to throw: `throw problem.raise()`.
    public ProblemException raise() {
        return new ProblemException(this, null);
    }

    /// The same, which the failure has caused: what is to be known of that may be more than clients are told.
    public ProblemException raise(Throwable cause) {
        return new ProblemException(this, cause);
    }

    public List<String> notes() {
        return joined(warnings, hints);
    }

    /// The body of [Service.ErrorStyle#STATUS].
    public BsonDocument toStatusDocument() {
        var document = new BsonDocument()
                .append("http status code", new BsonInt32(status))
                .append("http status description", new BsonString(StatusText.of(status)))
                .append("message", new BsonString(clean(message)));
        cause.ifPresent(
                why -> document.append("exception", new BsonString(code.name())).append("exception message", why));
        var notes = notes();
        if (!notes.isEmpty()) {
            document.append("_warnings", BsonTexts.array(notes));
        }
        index.ifPresent(
                at -> document.append("code", new BsonString(code.name())).append("index", new BsonInt32(at)));
        return document;
    }

    /// The body of [Service.ErrorStyle#MESSAGE].
    public BsonDocument toMessageDocument() {
        return new BsonDocument("msg", new BsonString(clean(message)));
    }

    /// Replaces `"` by `'` and a tab by two spaces, as the specification of error bodies requires.
    private static String clean(@Nullable String text) {
        return text == null ? "" : text.replace('"', '\'').replace("\t", "  ");
    }
}
